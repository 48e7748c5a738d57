import ArgumentParsing
import JSONRPC
import Records

/// How a row becomes a record.
struct RowMapping {
  /// The type of every record; nil when the rows say theirs.
  var recordType: String?
  var zoneName: String?
  var nameTemplate: FieldTemplate?
  /// The input's names and what they become.
  var renames: [String: String] = [:]
  /// Only these fields of the input; nil for all.
  var fields: Set<String>?
  var conversions: [String: FieldConversion] = [:]
  /// The types that the fields of record types have; nil where the rows are not all text.
  var types: [String: [String: FieldType]]?
  /// Fields of the record and the names that they refer to.
  var references: [(field: String, template: FieldTemplate)] = []

  static let options = [
    Option(
      "type", letter: "t", takes: "TYPE", "The type of the records; those that were exported say theirs"),
    Option("zone", letter: "z", takes: "NAME", "The zone (default: _defaultZone)"),
    Option(
      "name-from", takes: "TEMPLATE",
      "The record's name: a field such as alpha_2, or text with fields in it such as '{country}-{code:2}'"),
    Option("rename", takes: "OLD=NEW", "Save the field OLD under the name NEW", isRepeatable: true),
    Option(
      "reference", takes: "FIELD=TEMPLATE",
      "Make FIELD a reference to the record that the template names; of several templates with | between "
        + "them the first that names a record of this import", isRepeatable: true),
    Option("fields", letter: "f", takes: "LIST", "Only these fields of the input"),
    Option(
      "convert", takes: "FIELD=TYPE",
      "Read text as \(FieldConversion.allCases.map(\.rawValue).joined(separator: ", "))", isRepeatable: true),
  ]

  init(_ arguments: Arguments) throws(UsageError) {
    recordType = arguments.value("type")
    zoneName = arguments.value("zone")
    if let text = arguments.value("name-from") { nameTemplate = try FieldTemplate(parsing: text) }
    if let text = arguments.value("fields") { fields = Set(RecordQuery.list(text)) }
    for text in arguments.values("rename") {
      let (old, new) = try Self.pair(text, "rename")
      renames[old] = new
    }
    for text in arguments.values("convert") {
      let (field, type) = try Self.pair(text, "convert")
      guard let conversion = FieldConversion(rawValue: type) else {
        throw UsageError(
          "--convert knows \(FieldConversion.allCases.map(\.rawValue).joined(separator: ", ")), not '\(type)'"
        )
      }
      conversions[field] = conversion
    }
    for text in arguments.values("reference") {
      let (field, template) = try Self.pair(text, "reference")
      references.append((field, try FieldTemplate(parsing: template)))
    }
  }

  private static func pair(_ text: String, _ option: String) throws(UsageError) -> (String, String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw UsageError("--\(option) takes two words with = between them, not '\(text)'")
    }
    return (parts[0], parts[1])
  }

  /// A template's alternatives can only be told apart when the names of all records are known.
  var needsAllNames: Bool { references.contains { $0.template.alternatives.count > 1 } }

  /// Records stay as they are in the file.
  var keepsRecords: Bool {
    recordType == nil && zoneName == nil && renames.isEmpty && fields == nil && conversions.isEmpty
      && references.isEmpty
  }

  struct Fault: Error {
    let reason: String
  }

  /// The name that the row's record gets; nil when the service is to make one.
  func name(of row: JSON) throws(Fault) -> String? {
    if let nameTemplate {
      guard let name = nameTemplate.texts(for: Self.fields(of: row)).first else {
        throw Fault(reason: "it has no name: a field of --name-from is missing")
      }
      return name
    }
    return row["recordName"]?.stringValue
  }

  /// The record to save for a row.
  ///
  /// - Parameters:
  ///   - names: The names of all records of the import, where `needsAllNames`.
  ///   - newName: Gives a row its name that has none; nil where the service is to make it.
  func record(
    for row: JSON, names: Set<String>, newName: () -> String? = { nil }
  ) throws(Fault) -> JSON {
    guard row.kind == .object else {
      throw Fault(reason: "it is \(JSONPath.description(of: row)), not an object")
    }
    guard let type = recordType ?? row["recordType"]?.stringValue else {
      throw Fault(reason: "its record type isn't known: give --type")
    }
    var members: [(String, JSONNode)] = [("recordType", .string(type))]
    if let name = try name(of: row) ?? newName() { members.append(("recordName", .string(name))) }
    if let zone = zoneName ?? row["zoneName"]?.stringValue {
      members.append(("zoneName", .string(zone)))
    }
    members.append(("fields", .object(try fieldValues(of: row, names, types?[type]))))
    return JSONNode.object(members).json
  }

  private func fieldValues(
    of row: JSON, _ names: Set<String>, _ types: [String: FieldType]?
  ) throws(Fault) -> [(String, JSONNode)] {
    let source = Self.fields(of: row)
    let isPlain = !Self.isRecord(row)
    let referenced = Set(references.map(\.field))
    var values: [(String, JSONNode)] = []
    for member in source.members {
      let name = member.name
      if fields.map({ !$0.contains(name) }) ?? false { continue }
      let newName = renames[name] ?? name
      if referenced.contains(newName) || (isPlain && Self.ownNames.contains(name)) { continue }
      values.append((newName, try value(member.value, name, newName, types)))
    }
    for (field, template) in references {
      let candidates = template.texts(for: source)
      guard
        let target = template.alternatives.count > 1
          ? candidates.first(where: names.contains) : candidates.first
      else {
        guard candidates.isEmpty else {
          throw Fault(
            reason: "its '\(field)' names no record of this import: \(candidates.joined(separator: ", "))")
        }
        continue
      }
      values.append((field, .object([("$reference", .object([("recordName", .string(target))]))])))
    }
    return values
  }

  /// The value of a field: converted as was asked for, or text to the type that the field has.
  private func value(
    _ value: JSON, _ name: String, _ newName: String, _ types: [String: FieldType]?
  ) throws(Fault) -> JSONNode {
    func fault(_ type: String) -> Fault {
      Fault(reason: "its '\(name)' is no \(type): \(value.text.prefix(200))")
    }
    if let conversion = conversions[name] ?? conversions[newName] {
      guard let converted = conversion.value(of: value) else { throw fault(conversion.rawValue) }
      return converted
    }
    guard let type = types?[newName], let text = value.stringValue else { return .json(value) }
    // In a table an empty text is a text only in a field of texts.
    if text.isEmpty, type != FieldType(.string) { return .null }
    guard let converted = FieldText.value(of: text, as: type) else { throw fault(type.name) }
    return converted
  }

  /// What a row of fields may say of its record beside them.
  private static let ownNames: Set<String> = ["recordName", "recordType", "zoneName"]

  /// A row as it was exported: a whole record.
  private static func isRecord(_ row: JSON) -> Bool {
    row["recordType"]?.kind == .string && row["fields"]?.kind == .object
  }

  private static func fields(of row: JSON) -> JSON {
    isRecord(row) ? row["fields"] ?? row : row
  }
}
