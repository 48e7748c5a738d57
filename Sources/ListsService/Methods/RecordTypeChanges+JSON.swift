internal import JSONRPC
internal import RecordStore
internal import Records

extension RecordTypeChanges {
  /// Reads `{"rename"?: {old: new}, "retype"?: {field: type}, "drop"?: [field]}`. Throws `invalidArguments`.
  init(json: JSON) throws(RecordError) {
    self.init()
    let members = try json.members("changes", known: ["rename", "retype", "drop"])
    for member in try members[0]?.object("changes.rename").members ?? Self.none {
      guard let name = member.value.stringValue else {
        throw .declaration("changes.rename['\(member.name.shortened)'] must be a field's new name")
      }
      try Identifier.validate(name, as: .field)
      renamed.append((member.name, name))
    }
    for member in try members[1]?.object("changes.retype").members ?? Self.none {
      let place = "changes.retype['\(member.name.shortened)']"
      retyped.append((member.name, try member.value.fieldType(place)))
    }
    for element in try members[2]?.list("changes.drop") ?? [] {
      guard let name = element.stringValue else {
        throw .declaration("changes.drop must be a list of fields' names")
      }
      dropped.append(name)
    }
  }

  private static let none = JSON(unchecked: []).members
}

extension JSON {
  /// `string`, `list<int64>` and so on.
  func fieldType(_ place: String) throws(RecordError) -> FieldType {
    guard let type = stringValue.flatMap({ FieldType(name: $0) }) else {
      let known = FieldType.Element.allCases.map(\.rawValue).joined(separator: ", ")
      throw .declaration("\(place) must be one of \(known), or list<…> of one of them")
    }
    return type
  }
}
