import JSONRPC
import Records

extension CloudKitSchema.RecordType {
  /// A record type as `fetchSchema` gives it, as far as CloudKit's language has words for it.
  ///
  /// - Parameter notes: Gets a sentence for what it has none for.
  init(_ type: JSON, notes: inout [String]) {
    let name = type["name"]?.stringValue ?? ""
    self.init(name: name)
    for field in type["fields"].map({ Array($0.elements) }) ?? [] {
      guard let fieldName = field["name"]?.stringValue,
        let fieldType = field["type"]?.stringValue.flatMap({ FieldType(name: $0) })
      else { continue }
      let options = field["indexes"]?.elements.compactMap { index in
        index.stringValue.flatMap { CloudKitSchema.Option(rawValue: $0.uppercased()) }
      }
      fields.append(.init(name: fieldName, type: fieldType, options: Set(options ?? [])))
      if [.boolean, .object].contains(fieldType.element) {
        let word = CloudKitSchema.word(for: fieldType.element)
        notes.append(
          "CloudKit has no \(fieldType.element.rawValue): \(name).\(fieldName) is written as \(word)")
      }
    }
    for index in type["indexes"].map({ Array($0.elements) }) ?? []
    where index["origin"]?.isString("declared") == true {
      readIndex(index, &notes)
    }
    let names = [name] + fields.map(\.name)
    if let other = names.first(where: { !CloudKitSchema.isName($0) }) {
      notes.append("'\(other)' is not a name that CloudKit allows: a letter, then letters, digits and _")
    }
  }

  /// An index of a field is among its options; one of a system field is an option of that.
  private mutating func readIndex(_ index: JSON, _ notes: inout [String]) {
    let keys = index["keys"]?.elements.compactMap(\.stringValue) ?? []
    if keys.count == 1, let system = CloudKitSchema.SystemField.allCases.first(where: { $0.key == keys[0] }) {
      systemFields[system] = [.queryable, .sortable]
    } else if keys.count > 1 || (keys.first.map { key in !fields.contains { $0.name == key } } ?? false) {
      notes.append(
        "the index of \(name) on \(keys.joined(separator: ", ")) has no place in CloudKit's schema")
    }
  }
}

extension CloudKitSchema {
  /// The text, in the layout in which CloudKit's own tools write it, with the grants of a public database.
  var text: String {
    var text = "DEFINE SCHEMA\n"
    for role in roles { text += "\n    CREATE ROLE \(Self.quoted(role));\n" }
    for type in recordTypes { text += "\n" + Self.text(of: type) }
    return text
  }

  private static func text(of type: RecordType) -> String {
    var members: [(name: String, rest: String)] = []
    for field in SystemField.allCases {
      var options = type.systemFields[field] ?? []
      // Without it CloudKit's console finds no record.
      if field == .recordID { options.insert(.queryable) }
      members.append((quoted(field.rawValue), rest(FieldType(field.type), options)))
    }
    for field in type.fields {
      let encrypted = field.isEncrypted ? "ENCRYPTED " : ""
      members.append((quoted(field.name), rest(field.type, field.options, encrypted)))
    }
    let width = members.map(\.name.count).max() ?? 0
    var lines = members.map { "        " + DisplayText.padded($0.name, to: width) + " " + $0.rest }
    lines += [
      "        GRANT WRITE TO \"_creator\"", "        GRANT CREATE TO \"_icloud\"",
      "        GRANT READ TO \"_world\"",
    ]
    return "    RECORD TYPE \(quoted(type.name)) (\n" + lines.joined(separator: ",\n") + "\n    );\n"
  }

  private static func rest(_ type: FieldType, _ options: Set<Option>, _ encrypted: String = "") -> String {
    let word = encrypted + word(for: type.element)
    let names = Option.allCases.filter(options.contains).map(\.rawValue)
    return ([type.isList ? "LIST<\(word)>" : word] + names).joined(separator: " ")
  }

  private static func quoted(_ name: String) -> String {
    guard !isName(name) || reservedWords.contains(name.lowercased()) else { return name }
    var result = "\"".unicodeScalars
    for scalar in name.unicodeScalars {
      result.append(scalar)
      if scalar == "\"" { result.append(scalar) }
    }
    result.append("\"")
    return String(result)
  }
}
