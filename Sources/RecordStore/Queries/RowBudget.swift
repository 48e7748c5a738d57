/// How many rows a read may look at before it is given up.
struct RowBudget {
  private var rows: Int
  private let isStopped: () -> Bool

  /// Entries of an index that are counted in the time that it takes to look at a record.
  private static let entriesOfARow = 20

  init(rows: Int, isStopped: @escaping () -> Bool = { false }) {
    self.rows = rows
    self.isStopped = isStopped
  }

  /// Whether there is none left.
  var isSpent: Bool { rows < 0 }

  /// Takes one row; false when there is none left.
  mutating func spend() -> Bool {
    rows -= 1
    return rows >= 0 && (rows & 0xFF != 0 || !isStopped())
  }

  /// Entries that can still be counted, at least one.
  var entries: Int {
    let (entries, overflows) = max(rows, 0).multipliedReportingOverflow(by: Self.entriesOfARow)
    return overflows ? .max : entries + 1
  }

  /// Takes as many rows as counting so many entries is like; false when there were not so many.
  mutating func spend(entries: Int) -> Bool {
    if entries > 0 { rows -= entries / Self.entriesOfARow + 1 }
    if isStopped() { rows = -1 }
    return rows >= 0
  }
}
