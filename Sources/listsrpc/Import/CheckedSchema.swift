import JSONRPC
import Records

/// The types and rules that fields have: as they are, then as the records of an import would make them.
struct CheckedSchema {
  private struct Field: Hashable {
    let recordType: [UInt8]
    let name: [UInt8]

    init(_ recordType: String, _ name: String) {
      self.recordType = Array(recordType.utf8)
      self.name = Array(name.utf8)
    }
  }

  /// A field with rules.
  struct Ruled {
    let field: String
    let type: FieldType
    let rules: FieldRules
    /// What a record gets that is made without the field.
    let standard: FieldValue?
  }

  private var types: [Field: FieldType] = [:]
  /// In the order in which the service looks at them.
  private var rules: [String: [Ruled]] = [:]
  private var references: [String: [String]] = [:]

  /// - Parameter recordTypes: `fetchSchema`'s.
  init(_ recordTypes: [JSON]) { learn(recordTypes) }

  /// Takes record types in, as if they had been declared.
  ///
  /// - Parameter withDefaults: Records get what they are made without.
  mutating func learn(_ recordTypes: [JSON], withDefaults: Bool = true) {
    for recordType in recordTypes {
      let typeName = recordType["name"]?.stringValue ?? ""
      for field in recordType["fields"].map({ Array($0.elements) }) ?? [] {
        guard let name = field["name"]?.stringValue,
          let type = field["type"]?.stringValue.flatMap({ FieldType(name: $0) })
        else { continue }
        types[Field(typeName, name)] = type
        if type.element == .reference { references[typeName, default: []].append(name) }
        let rules = FieldRules(stored: field, type: type)
        guard !rules.isEmpty else { continue }
        let known = self.rules[typeName]?.firstIndex { $0.field.hasSameUTF8(as: name) }
        let earlier = known.flatMap { self.rules[typeName]?.remove(at: $0) }
        let standard = withDefaults ? rules.standard : earlier?.standard
        self.rules[typeName, default: []].append(
          Ruled(field: name, type: type, rules: rules, standard: standard))
      }
      rules[typeName]?.sort { $0.field.utf8.lexicographicallyPrecedes($1.field.utf8) }
    }
  }

  func type(of field: String, in recordType: String) -> FieldType? { types[Field(recordType, field)] }

  func rules(of recordType: String) -> [Ruled] { rules[recordType] ?? [] }

  /// What a record gets that is made, or replaced, without these fields.
  func defaults(of recordType: String) -> [RecordBody.Field] {
    rules(of: recordType).compactMap { ruled in
      ruled.standard.map { RecordBody.Field(name: ruled.field, value: $0) }
    }
  }

  /// The fields that refer to records.
  func referenceFields(of recordType: String) -> [String] { references[recordType] ?? [] }

  /// Fixes the types of those fields that had none.
  mutating func learn(_ body: RecordBody) {
    for field in body.fields where types[Field(body.recordType, field.name)] == nil {
      guard let type = field.value.type else { continue }
      types[Field(body.recordType, field.name)] = type
      if type.element == .reference { references[body.recordType, default: []].append(field.name) }
    }
  }
}
