import JSONRPC

extension StoredRecord {
  /// The references that a path can follow, in the order of the fields: those that are a field's value or stand
  /// in its list, not those inside objects. One that names no zone is of the record's own.
  public var references: [(recordName: String, zoneName: String)] {
    var found: [(recordName: String, zoneName: String)] = []
    for field in body["fields"]?.members ?? JSON(unchecked: []).members {
      if field.value.kind == .array {
        for element in field.value.elements { append(element, to: &found) }
      } else {
        append(field.value, to: &found)
      }
    }
    return found
  }

  private func append(_ value: JSON, to found: inout [(recordName: String, zoneName: String)]) {
    guard value.kind == .object, let target = value["$reference"],
      let recordName = target["recordName"]?.stringValue
    else { return }
    found.append((recordName, target["zoneName"]?.stringValue ?? zoneName))
  }
}
