internal import Synchronization

/// Sections that were counted, for later pages of the same result in the same snapshot. Of any thread: a
/// snapshot is often read by several readers.
final class SectionCache: Sendable {
  private static let maximumLists = 16
  private static let maximumBytes = 64 << 20

  private struct Key: Equatable {
    let snapshot: ChangeToken
    let result: [UInt8]
  }

  /// The one used last comes last.
  private let lists = Mutex<[(key: Key, list: SectionList)]>([])

  /// - Parameter result: what tells results apart in a snapshot.
  func list(of result: [UInt8], in snapshot: ChangeToken) -> SectionList? {
    let key = Key(snapshot: snapshot, result: result)
    return lists.withLock { lists in
      guard let place = lists.firstIndex(where: { $0.key == key }) else { return nil }
      let found = lists.remove(at: place)
      lists.append(found)
      return found.list
    }
  }

  func keep(_ list: SectionList, of result: [UInt8], in snapshot: ChangeToken) {
    let key = Key(snapshot: snapshot, result: result)
    lists.withLock { lists in
      lists.removeAll { $0.key == key }
      lists.append((key, list))
      var bytes = lists.reduce(0) { $0 + $1.list.bytes + $1.key.result.count }
      while lists.count > Self.maximumLists || lists.count > 1 && bytes > Self.maximumBytes {
        let dropped = lists.removeFirst()
        bytes -= dropped.list.bytes + dropped.key.result.count
      }
    }
  }
}
