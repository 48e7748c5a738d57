import JSONRPC
import Records

/// A record type on a terminal: its fields, then its indexes.
enum SchemaCard {
  @MainActor
  static func print(_ type: JSON, _ session: Session) throws(Failure) {
    let output = session.output
    guard !session.printsJSON else { return try output.writeLine(type.bytes) }
    let count = type["numberOfRecords"]?.int64Value ?? 0
    let isManual = type["automaticIndexes"]?.boolValue == false
    let note = "  \(DisplayText.count(count, "record"))" + (isManual ? ", no automatic indexes" : "")
    try output.write(output.bold(DisplayText.cell(type["name"])) + output.dim(note) + "\n")
    let all = type["fields"].map { Array($0.elements) } ?? []
    let haveRules = all.contains { !rules(of: $0).isEmpty }
    var fields = Table(headings: ["field", "type", "indexes"] + (haveRules ? ["rules"] : []))
    for field in all {
      fields.append(
        [
          .init(text: DisplayText.cell(field["name"])), .init(text: DisplayText.cell(field["type"])),
          .init(text: indexes(of: field)),
        ] + (haveRules ? [.init(text: rules(of: field))] : []))
    }
    try session.printTable(fields)
    var indexes = Table(headings: [
      "index", "kind", "origin", "state", "entries", "size", "uses", "last used",
    ])
    for index in type["indexes"].map({ Array($0.elements) }) ?? [] { indexes.append(cells(of: index)) }
    if !fields.rows.isEmpty, !indexes.rows.isEmpty { try output.write("\n") }
    try session.printTable(indexes)
  }

  private static func indexes(of field: JSON) -> String {
    let names = list(field["indexes"])
    guard let collation = field["collation"]?.stringValue, collation != "codePoint" else { return names }
    return names + " (\(DisplayText.harmless(collation)))"
  }

  /// `required, min 0, merge sum`.
  private static func rules(of field: JSON) -> String {
    FieldRules.Rule.allCases.compactMap { rule in
      field[rule.rawValue].map { value in
        value.boolValue == true && [.required, .unique].contains(rule)
          ? rule.rawValue : "\(rule.rawValue) \(DisplayText.cell(value))"
      }
    }.joined(separator: ", ")
  }

  private static func cells(of index: JSON) -> [Table.Cell] {
    var keys = list(index["keys"])
    if keys.isEmpty { keys = "(words of every text)" }
    if let collation = index["collation"]?.stringValue, collation != "codePoint" {
      keys += " (\(DisplayText.harmless(collation)))"
    }
    var state = DisplayText.cell(index["state"])
    if let progress = index["progress"]?.doubleValue { state += " \(Int(progress * 100))%" }
    let lastUsed = DisplayText.cell(index["lastUsed"])
    return [
      .init(text: keys), .init(text: DisplayText.cell(index["kind"])),
      .init(text: DisplayText.cell(index["origin"])), .init(text: state),
      .init(text: DisplayText.cell(index["entries"]), isRight: true),
      .init(text: index["bytes"]?.int64Value.map(size) ?? "", isRight: true),
      .init(text: DisplayText.cell(index["uses"]), isRight: true),
      .init(text: lastUsed.isEmpty ? "never" : lastUsed),
    ]
  }

  private static func list(_ names: JSON?) -> String {
    names.map { $0.elements.map { DisplayText.cell($0) }.joined(separator: ", ") } ?? ""
  }

  /// `512 B`, `4.2 KiB`, `31 MiB`: two digits at least, of the unit that fits.
  static func size(_ bytes: Int64) -> String {
    var amount = Double(bytes)
    var unit = "B"
    for next in ["KiB", "MiB", "GiB", "TiB"] where amount >= 1024 {
      amount /= 1024
      unit = next
    }
    if unit == "B" || amount >= 10 { return "\(Int(amount.rounded())) \(unit)" }
    return "\((amount * 10).rounded() / 10) \(unit)"
  }
}
