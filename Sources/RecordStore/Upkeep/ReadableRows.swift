internal import SQLite

/// The rows of a table that can still be read, where some of its pages can't.
///
/// Goes by the row's number: where reading on fails, it looks for the next number from which it works, first one by
/// one, then in steps that double. What lies between is lost, or at least not to be reached so.
struct ReadableRows {
  private let database: Database
  private let sql: String
  /// Whether anything was passed over.
  private(set) var hasGaps = false

  private static let triesOneByOne: Int64 = 4096
  /// Beyond this many numbers without a readable row there is taken to be none.
  private static let widestGap: Int64 = 1 << 40

  /// `sql` selects the rows whose number, its first column, is `?1` or more, ascending.
  init(of database: Database, _ sql: String) {
    self.database = database
    self.sql = sql
  }

  /// Calls `body` with each row. What `body` throws ends it.
  mutating func forEach<Failure: Error>(_ body: (Statement) throws(Failure) -> Void) throws(Failure) {
    var next: Int64 = 0
    while true {
      guard let rows = try? database.prepare(sql) else {
        hasGaps = true
        return
      }
      rows.bind(next, at: 1)
      while true {
        let isThere: Bool
        do {
          isThere = try rows.step()
        } catch {
          break
        }
        guard isThere else { return }
        next = rows.int64(0) &+ 1
        try body(rows)
      }
      hasGaps = true
      guard let found = firstReadable(from: next) else { return }
      next = found
    }
  }

  /// The least number, about, from which rows can be read again.
  private func firstReadable(from start: Int64) -> Int64? {
    for number in start + 1...start + Self.triesOneByOne where canRead(from: number) { return number }
    var distance = Self.triesOneByOne
    while distance < Self.widestGap, start < .max - 2 * distance {
      if canRead(from: start + 2 * distance) {
        return least(after: start + distance, upTo: start + 2 * distance)
      }
      distance *= 2
    }
    return nil
  }

  private func least(after unreadable: Int64, upTo readable: Int64) -> Int64 {
    var low = unreadable
    var high = readable
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if canRead(from: middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// Whether the first row from there on can be read, or it is certain that there is none.
  private func canRead(from number: Int64) -> Bool {
    guard let rows = try? database.prepare(sql) else { return false }
    rows.bind(number, at: 1)
    do {
      _ = try rows.step()
      return true
    } catch {
      return false
    }
  }
}
