import JSONRPC

extension StoredRecord {
  /// The references that a path can follow, in the order of the fields: those that are a field's value or stand
  /// in its list, not those inside objects.
  public var references: [HeldReference] {
    var found: [HeldReference] = []
    for field in body["fields"]?.members ?? JSON(unchecked: []).members {
      if field.value.kind == .array {
        for element in field.value.elements { append(element, field, to: &found) }
      } else {
        append(field.value, field, to: &found)
      }
    }
    return found
  }

  private func append(_ value: JSON, _ field: JSON.Member, to found: inout [HeldReference]) {
    guard value.kind == .object, let target = value["$reference"],
      let recordName = target["recordName"]?.stringValue
    else { return }
    found.append(
      HeldReference(
        field: field.name, recordName: recordName, zoneName: target["zoneName"]?.stringValue ?? zoneName,
        action: target["action"]?.stringValue.flatMap(Reference.Action.init) ?? .none))
  }
}
