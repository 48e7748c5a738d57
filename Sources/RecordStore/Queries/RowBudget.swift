/// How many rows a read may look at before it is given up.
struct RowBudget {
  private var rows: Int
  private let isStopped: () -> Bool

  init(rows: Int, isStopped: @escaping () -> Bool = { false }) {
    self.rows = rows
    self.isStopped = isStopped
  }

  /// Takes one row; false when there is none left.
  mutating func spend() -> Bool {
    rows -= 1
    return rows >= 0 && (rows & 0xFF != 0 || !isStopped())
  }
}
