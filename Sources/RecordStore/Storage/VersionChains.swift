internal import SQLite

/// Which versions the records had that changed often: so that a look into the past need not go back through all
/// of them each time.
///
/// What it knows stays true as the log grows and is pruned, so it is kept with the connection.
final class VersionChains {
  /// The newest versions of a record, ascending, without gaps.
  private var chains: [Int64: [Int64]] = [:]
  private var links = 0

  /// Shorter ones are found as fast in the log.
  private static let minimumLinks = 8
  private static let maximumLinks = 1 << 20

  /// The first version of the record after `version`, which must be older than its `current` one.
  func first(
    after version: Version, ofRecord id: Int64, current: Version, in connection: Connection
  ) throws(SQLiteError) -> Version {
    let known = chains[id] ?? []
    let (walked, end) = try walk(from: current, downTo: max(version.rawValue, known.last ?? .min), connection)
    // Not so where another record has the row now, nor where nobody asked for as long as makes a gap.
    let joins = !known.isEmpty && end?.rawValue == known.last
    var chain = joins ? known + walked.reversed() : walked.reversed()
    if joins, known[0] > version.rawValue {
      let older = try walk(
        from: try connection.previous(of: Version(rawValue: known[0])).version, downTo: version.rawValue,
        connection)
      chain = older.versions.reversed() + chain
    }
    if chain.count != known.count || !joins { keep(chain, inPlaceOf: known, id) }
    return Version(rawValue: chain[Self.place(of: version.rawValue, in: chain)])
  }

  /// The versions from `start` down that are newer than `end`, and the first that isn't.
  private func walk(
    from start: Version?, downTo end: Int64, _ connection: Connection
  ) throws(SQLiteError) -> (versions: [Int64], end: Version?) {
    var versions: [Int64] = []
    var version = start
    while let reached = version, reached.rawValue > end {
      versions.append(reached.rawValue)
      version = try connection.previous(of: reached).version
    }
    return (versions, version)
  }

  private func keep(_ chain: [Int64], inPlaceOf known: [Int64], _ id: Int64) {
    guard chain.count >= Self.minimumLinks || !known.isEmpty else { return }
    links += chain.count - known.count
    if links > Self.maximumLinks {
      chains.removeAll()
      links = chain.count
    }
    chains[id] = chain
  }

  /// Of the first that is greater.
  private static func place(of version: Int64, in chain: [Int64]) -> Int {
    var low = 0
    var high = chain.count - 1
    while low < high {
      let middle = (low + high) / 2
      if chain[middle] > version { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
