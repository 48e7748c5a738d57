import JSONRPC

/// Rows under headings, their columns aligned and cut to the terminal's width.
struct Table {
  struct Cell {
    var text: String
    /// Numbers stand at the right of their column.
    var isRight = false
  }

  let headings: [String]
  private(set) var rows: [[Cell]] = []
  private var widths: [Int]

  init(headings: [String]) {
    self.headings = headings.map(DisplayText.harmless)
    widths = self.headings.map { DisplayText.width($0) }
  }

  mutating func append(_ cells: [Cell]) {
    rows.append(cells)
    for (column, cell) in cells.enumerated() {
      widths[column] = max(widths[column], DisplayText.width(cell.text))
    }
  }

  /// The lines: the headings, then the rows.
  ///
  /// - Parameter columns: The width to stay within; columns are cut, the widest first.
  func lines(columns: Int) -> (heading: String, rows: [String]) {
    let widths = fitted(to: columns)
    let heading = line(headings.indices.map { Cell(text: headings[$0], isRight: isRight($0)) }, widths)
    return (heading, rows.map { line($0, widths) })
  }

  /// Nothing but numbers is in the column.
  private func isRight(_ column: Int) -> Bool {
    let cells = rows.map { $0[column] }.filter { !$0.text.isEmpty }
    return !cells.isEmpty && cells.allSatisfy(\.isRight)
  }

  private static let gap = "  "
  private static let narrowest = 6

  private func line(_ cells: [Cell], _ widths: [Int]) -> String {
    var parts: [String] = []
    for (column, cell) in cells.enumerated() where widths[column] > 0 {
      let text = DisplayText.fitted(cell.text, to: widths[column])
      let isLast = column == cells.count - 1 && !cell.isRight
      parts.append(isLast ? text : DisplayText.padded(text, to: widths[column], isRight: cell.isRight))
    }
    let line = parts.joined(separator: Self.gap)
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  /// The columns' widths after taking away from the widest until all fit, as far as they can.
  private func fitted(to columns: Int) -> [Int] {
    var widths = widths
    var excess = widths.reduce(0, +) + Self.gap.count * max(0, widths.count - 1) - columns
    while excess > 0, let widest = widths.max(), widest > Self.narrowest {
      let next = widths.filter { $0 < widest }.max() ?? Self.narrowest
      let wide = widths.indices.filter { widths[$0] == widest }
      let least = max(next, Self.narrowest)
      let share = min(widest - least, max(1, excess / wide.count))
      for column in wide where excess > 0 {
        widths[column] -= share
        excess -= share
      }
    }
    return widths
  }
}

extension Session {
  /// Prints a table for a terminal, unless it has no rows.
  func printTable(_ table: Table) throws(Failure) {
    guard !table.rows.isEmpty else { return }
    let lines = table.lines(columns: max(20, output.columns ?? 80))
    try output.write(output.bold(lines.heading) + "\n")
    for row in lines.rows { try output.write(row + "\n") }
  }
}
