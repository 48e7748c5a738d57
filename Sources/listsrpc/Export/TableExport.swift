import JSONRPC

/// Values separated by commas or tabs (RFC 4180), under a line of names.
///
/// An empty text stands in quotes, so that it is told apart from a field that is missing.
struct TableExport: ExportForm {
  enum Column: Equatable {
    case name, zone
    case field(String)
  }

  let separatorOfValues: Unicode.Scalar
  let columns: [Column]

  init(separator: Unicode.Scalar, columns: [Column]) {
    separatorOfValues = separator
    self.columns = columns
  }

  var heading: String {
    line(
      columns.map { column in
        switch column {
        case .name: "recordName"
        case .zone: "zoneName"
        case .field(let name): name
        }
      }) + "\r\n"
  }
  var separator: String { "\r\n" }
  var separatorAtEnd: String { "\r\n" }

  mutating func bytes(of record: JSON) -> [UInt8] {
    let fields = record["fields"]
    let values = columns.map { column in
      switch column {
      case .name: Self.text(of: record["recordName"])
      case .zone: Self.text(of: record["zoneName"])
      case .field(let name): Self.text(of: fields?[name])
      }
    }
    return Array(line(values).utf8)
  }

  private func line(_ values: [String?]) -> String {
    values.map { value in
      guard let value else { return "" }
      // By scalars: a separator or quote that bears a combining mark is one character with it.
      let isPlain = !value.unicodeScalars.contains { [separatorOfValues, "\"", "\n", "\r"].contains($0) }
      guard !isPlain || value.isEmpty else { return value }
      var quoted = "\"".unicodeScalars
      for scalar in value.unicodeScalars {
        quoted.append(scalar)
        if scalar == "\"" { quoted.append(scalar) }
      }
      quoted.append("\"")
      return String(quoted)
    }.joined(separator: String(separatorOfValues))
  }

  /// A value in a cell: what ``FieldText`` reads. Nil for a missing one.
  private static func text(of value: JSON?) -> String? {
    guard let value, !value.isNull else { return nil }
    if let text = value.stringValue { return text }
    if value.kind == .object {
      if let date = value["$date"]?.stringValue { return date }
      // Of a reference the name, where that is all.
      if let reference = value["$reference"], reference.members.count == 1,
        let name = reference["recordName"]?.stringValue, !name.hasPrefix("{")
      {
        return name
      }
    }
    return value.text
  }
}
