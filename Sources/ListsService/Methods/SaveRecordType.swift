internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let saveRecordType = Method(
    "saveRecordType", .write,
    [.required("recordType"), .optional("changes"), .optional("dryRun"), .optional("acceptLoss")],
    errors: .write.subtracting([.zoneNotFound])
      .union([.fieldTypeMismatch, .constraintViolation, .unknownItem])
  ) { invocation, _ throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .write)
    guard let json = try arguments.object("recordType") else {
      throw .parameter("recordType", mustBe: "an object")
    }
    var draft = try RecordTypeDraft(json: json, limits: invocation.limits)
    if let changes = try arguments.object("changes") { draft.changes = try RecordTypeChanges(json: changes) }
    draft.isDryRun = try arguments.bool("dryRun", default: false)
    draft.acceptsLoss = try arguments.bool("acceptLoss", default: false)
    let write = WriteRequest(caller: invocation.caller, operations: [.saveRecordType(draft)])
    return .write(database, write) { written, result throws(RecordError) in
      var report: RecordTypeReport?
      result.beginObject()
      switch try written.only() {
      case .examinedRecordType(let found): report = found
      case .savedRecordType(let name, let done):
        guard let type = try database.schema(ofType: name).recordTypes.first else { throw .unexpectedItem }
        result.key("recordType")
        result.recordType(type)
        report = done
      default: throw .unexpectedItem
      }
      if let report {
        result.key("report")
        report.write(to: &result)
      }
      result.key("changeToken")
      result.string(written.changeToken.text)
      result.endObject()
    }
  }
}

extension RecordTypeDraft {
  /// Reads `{"name", "fields"?, "indexes"?, "automaticIndexes"?}`. Throws `invalidArguments`.
  fileprivate init(json: JSON, limits: ServiceLimits) throws(RecordError) {
    let members = try json.members("recordType", known: ["name", "fields", "indexes", "automaticIndexes"])
    guard let name = members[0]?.stringValue else { throw .declaration("recordType.name must be a string") }
    try Identifier.validate(name, as: .recordType)
    self.init(name: name)
    if let json = members[1] { fields = try Self.fields(json, limits: limits) }
    if let json = members[2] { indexes = try Self.indexes(json, limits: limits) }
    if let json = members[3] {
      guard let isOn = json.boolValue else {
        throw .declaration("recordType.automaticIndexes must be true or false")
      }
      automaticIndexes = isOn
    }
  }

  private static func fields(_ json: JSON, limits: ServiceLimits) throws(RecordError) -> [Field] {
    let limit = limits.maximumFields
    var fields: [Field] = []
    var names: Set<[UInt8]> = []
    for member in try json.object("recordType.fields").members {
      guard fields.count < limit else {
        throw .limit("maximumFields", limit, actual: nil, "a record type may declare \(limit) fields at once")
      }
      let field = try Field(name: member.name, json: member.value)
      guard names.insert(Array(field.name.utf8)).inserted else {
        throw .declaration("recordType.fields has '\(field.name.shortened)' twice")
      }
      fields.append(field)
    }
    return fields
  }

  private static func indexes(_ json: JSON, limits: ServiceLimits) throws(RecordError) -> [Index] {
    let limit = limits.maximumIndexes
    var indexes: [Index] = []
    for element in try json.list("recordType.indexes") {
      guard indexes.count < limit else {
        throw .limit("maximumIndexes", limit, actual: nil, "a record type may have \(limit) declared indexes")
      }
      indexes.append(try Index(json: element, at: "recordType.indexes[\(indexes.count)]"))
    }
    return indexes
  }
}

extension RecordTypeDraft.Field {
  private static let members = ["type", "indexes", "collation"] + FieldRules.Rule.allCases.map(\.rawValue)

  fileprivate init(name: String, json: JSON) throws(RecordError) {
    try Identifier.validate(name, as: .field)
    let place = "recordType.fields['\(name.shortened)']"
    let members = try json.members(place, known: Self.members, keepingNulls: true)
    self.init(name: name)
    rules = zip(FieldRules.Rule.allCases, members.dropFirst(3)).compactMap { rule, json in
      json.map { FieldRules.Change(rule, $0) }
    }
    if let json = members[0], !json.isNull { type = try json.fieldType("\(place).type") }
    if let json = members[1], !json.isNull {
      var uses: Set<FieldUse> = []
      for element in try json.list("\(place).indexes") {
        uses.insert(try element.word("\(place).indexes", FieldUse.self))
      }
      self.uses = uses
    }
    if let json = members[2], !json.isNull {
      collation = try json.word("\(place).collation", SortDescriptor.Collation.self)
    }
    if collation == .localized, uses?.contains(.sortable) != true {
      throw .declaration("\(place).collation goes with sortable among its indexes")
    }
  }
}

extension RecordTypeDraft.Index {
  fileprivate init(json: JSON, at place: String) throws(RecordError) {
    let members = try json.members(place, known: ["keys", "kind", "collation"])
    guard let elements = try members[0]?.list("\(place).keys") else {
      throw .declaration("\(place).keys must be a list of keys")
    }
    var keys: [FieldPath] = []
    for element in elements {
      guard let text = element.stringValue, let path = try FieldPath(key: text) else {
        throw .declaration("\(place).keys must be a list of fields, system keys or key paths")
      }
      keys.append(path)
    }
    self.init(keys: keys)
    if let json = members[1] { isOfElements = try json.word("\(place).kind", Kind.self) == .elements }
    if let json = members[2] {
      collation = try json.word("\(place).collation", SortDescriptor.Collation.self)
    }
  }

  private enum Kind: String, CaseIterable {
    case ordered, elements
  }
}

// MARK: - Reading

extension JSON {
  /// The values of the known members of an object, nil for those that are missing, and unless they are to be kept
  /// for those that are null.
  func members(
    _ place: String, known: [String], keepingNulls: Bool = false
  ) throws(RecordError) -> [JSON?] {
    var values: [JSON?] = Array(repeating: nil, count: known.count)
    for member in try object(place).members {
      guard let index = known.firstIndex(where: { member.isNamed($0) }) else {
        throw .declaration(
          "\(place) has no member '\(member.name.shortened)'; known are \(known.joined(separator: ", "))")
      }
      guard values[index] == nil else { throw .declaration("\(place) has \(known[index]) twice") }
      if keepingNulls || !member.value.isNull { values[index] = member.value }
    }
    return values
  }

  func object(_ place: String) throws(RecordError) -> JSON {
    guard kind == .object else { throw .declaration("\(place) must be an object") }
    return self
  }

  func list(_ place: String) throws(RecordError) -> [JSON] {
    guard kind == .array else { throw .declaration("\(place) must be a list") }
    return Array(elements)
  }

  fileprivate func word<Word: RawRepresentable<String> & CaseIterable>(
    _ place: String, _ type: Word.Type
  ) throws(RecordError) -> Word {
    guard let word = stringValue.flatMap(Word.init(rawValue:)) else {
      let words = Word.allCases.map { "'\($0.rawValue)'" }
      throw .declaration("\(place) must be one of \(words.joined(separator: ", "))")
    }
    return word
  }
}

extension RecordError {
  static func declaration(_ message: String) -> RecordError {
    RecordError(.invalidArguments, message, details: [Detail("parameter", "recordType")])
  }
}
