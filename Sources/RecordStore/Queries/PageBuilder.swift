internal import JSONRPC
internal import Records

/// Gathers the first records behind a position from records in any order, in bounded memory.
struct PageBuilder {
  private struct Entry {
    let record: StoredRecord
    let position: QueryPosition
  }

  private let limit: Int
  private let maximumBytes: Int
  private var entries: [Entry] = []
  private var bytes = 0
  /// Whether there is more than fits.
  private(set) var hasMore = false

  init(limit: Int, maximumBytes: Int) {
    self.limit = limit
    self.maximumBytes = maximumBytes
  }

  mutating func add(_ record: StoredRecord, at position: QueryPosition) {
    entries.append(Entry(record: record, position: position))
    bytes += record.body.bytes.count
    // Twice the page: so each record is sorted a few times only.
    if entries.count >= limit * 2 + 16 || bytes > maximumBytes * 2 { cut() }
  }

  /// Keeps what can be on the page. What falls behind now would fall behind later too.
  private mutating func cut() {
    entries.sort { $0.position < $1.position }
    var kept = 0
    bytes = 0
    for entry in entries {
      let size = entry.record.body.bytes.count
      guard kept < limit, kept == 0 || bytes + size <= maximumBytes else { break }
      kept += 1
      bytes += size
    }
    guard kept < entries.count else { return }
    hasMore = true
    entries.removeSubrange(kept...)
  }

  /// The page, in order.
  mutating func finish() -> [StoredRecord] {
    cut()
    return entries.map(\.record)
  }
}
