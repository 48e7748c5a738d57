import JSONRPC

/// A table of records: their names and fields.
struct RecordTable {
  private let fields: [String]
  private var table: Table

  /// - Parameter fields: The fields to show in that order; nil for those that the records have, in order of
  ///   appearance.
  init(_ records: [JSON], fields: [String]?) {
    self.fields = fields ?? Self.fields(of: records)
    table = Table(headings: ["recordName"] + self.fields)
    for record in records { table.append(cells(of: record)) }
  }

  func lines(columns: Int) -> (heading: String, rows: [String]) { table.lines(columns: columns) }

  private func cells(of record: JSON) -> [Table.Cell] {
    var cells = [Table.Cell(text: DisplayText.cell(record["recordName"]))]
    // One pass over the fields, however many are shown.
    var values: [String: JSON] = [:]
    if let members = record["fields"]?.members {
      for member in members { values[member.name] = member.value }
    }
    for field in fields {
      let value = values[field]
      cells.append(Table.Cell(text: DisplayText.cell(value), isRight: DisplayText.isNumber(value)))
    }
    return cells
  }

  private static func fields(of records: [JSON]) -> [String] {
    var seen: Set<String> = []
    var fields: [String] = []
    for record in records {
      guard let members = record["fields"]?.members else { continue }
      for member in members where seen.insert(member.name).inserted { fields.append(member.name) }
    }
    return fields
  }
}
