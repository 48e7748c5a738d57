import JSONRPC

/// The rows of a file that may begin with the schema of the database that they are from.
final class RowsBehindSchema: RowSource {
  private let rows: any RowSource
  private var first: InputRow?
  /// Nil where the file begins with its first record.
  let schema: DatabaseSchema?

  init(_ rows: any RowSource) throws(Failure) {
    self.rows = rows
    let row = try rows.next()
    if case .value(let value, _)? = row, let schema = DatabaseSchema(row: value) {
      self.schema = schema
    } else {
      schema = nil
      first = row
    }
  }

  func next() throws(Failure) -> InputRow? {
    guard let row = first else { return try rows.next() }
    first = nil
    return row
  }

  var progress: (done: Int, total: Int)? { rows.progress }
  var isWaiting: Bool { first == nil && rows.isWaiting }
  var notes: [String] { rows.notes }
}
