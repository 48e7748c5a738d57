import JSONRPC

/// How records are written in the rows of another service's export.
protocol RecordForm {
  /// What a row is here; nil when it is nothing to import.
  mutating func read(_ row: JSON) throws(RowMapping.Fault) -> ForeignRecord?
  /// What was left out, a sentence each.
  var notes: [String] { get }
}

/// A record that was read from another service's form, in this service's.
struct ForeignRecord {
  let record: JSON
  /// `modifyRecords`' operation, where it isn't that of the import.
  var operationType: String?

  init(
    type: String, name: String?, zone: String? = nil, fields: [(String, JSONNode)],
    operationType: String? = nil
  ) {
    var members: [(String, JSONNode)] = [("recordType", .string(type))]
    if let name { members.append(("recordName", .string(name))) }
    if let zone { members.append(("zoneName", .string(zone))) }
    members.append(("fields", .object(fields)))
    record = JSONNode.object(members).json
    self.operationType = operationType
  }
}

/// Which form the rows of an import have.
enum RecordForms {
  /// The form that the row, the first of a file, is in; nil for this service's own and for plain objects.
  ///
  /// - Parameters:
  ///   - className: What the file calls the rows' class, of Parse.
  ///   - numbers: What its numbers become.
  static func found(in row: JSON, className: String?, numbers: NumberTypes? = nil) -> (any RecordForm)? {
    if CloudKitForm.isForm(of: row) { return CloudKitForm() }
    if ParseForm.isForm(of: row) { return ParseForm(className: className, numbers: numbers) }
    return nil
  }
}
