import Records

/// Reads CloudKit's schema language:
///
/// ```
/// schema      = "DEFINE" "SCHEMA" { ( role | record type ) ";" }
/// role        = "CREATE" "ROLE" name
/// record type = "RECORD" "TYPE" name "(" [ member { "," member } ] ")"
/// member      = name type { "QUERYABLE" | "SORTABLE" | "SEARCHABLE" }
///             | "GRANT" right { "," right } "TO" name
/// right       = "READ" | "CREATE" | "WRITE"
/// type        = single | "LIST" "<" single ">"
/// single      = [ "ENCRYPTED" ] word | "NUMBER" [ "PREFERRED" "AS" ( "INT64" | "DOUBLE" ) ]
/// ```
///
/// Words of the language in any case; a name in quotes is never one.
struct SchemaParser {
  private var lexer: SchemaLexer
  private var token: SchemaLexer.Token

  /// The schema of a text.
  static func parse(_ text: String) throws(SchemaFault) -> CloudKitSchema {
    var parser = try SchemaParser(text)
    return try parser.schema()
  }

  private init(_ text: String) throws(SchemaFault) {
    lexer = SchemaLexer(text)
    token = try lexer.next()
  }

  private mutating func schema() throws(SchemaFault) -> CloudKitSchema {
    try expect("DEFINE")
    try expect("SCHEMA")
    var schema = CloudKitSchema()
    while token.kind != .end {
      if isWord("CREATE") {
        try advance()
        try expect("ROLE")
        schema.roles.append(try name("the name of a role"))
      } else if isWord("RECORD") {
        try advance()
        try expect("TYPE")
        let place = token
        let type = try recordType()
        guard !schema.recordTypes.contains(where: { $0.name.hasSameUTF8(as: type.name) }) else {
          throw place.fault("the record type '\(type.name)' is defined twice")
        }
        schema.recordTypes.append(type)
      } else {
        throw token.fault("expected RECORD TYPE or CREATE ROLE, not \(token.description)")
      }
      try expect(";")
    }
    return schema
  }

  private mutating func recordType() throws(SchemaFault) -> CloudKitSchema.RecordType {
    var type = CloudKitSchema.RecordType(name: try name("the name of a record type"))
    try expect("(")
    if isSign(")") {
      try advance()
      return type
    }
    while true {
      if isWord("GRANT") { try grant(&type) } else { try field(&type) }
      if isSign(")") { break }
      guard isSign(",") else { throw token.fault("expected ',' or ')', not \(token.description)") }
      try advance()
    }
    try advance()
    return type
  }

  // MARK: Fields

  private mutating func field(_ type: inout CloudKitSchema.RecordType) throws(SchemaFault) {
    let place = token
    let name = try name("the name of a field, or GRANT")
    let typePlace = token
    var field = CloudKitSchema.Field(name: name, type: FieldType(.string))
    (field.type, field.isEncrypted) = try dataType()
    while case .word(let word) = token.kind {
      guard let option = CloudKitSchema.Option(rawValue: word.uppercased()) else {
        throw token.fault(
          "expected QUERYABLE, SORTABLE, SEARCHABLE, ',' or ')', not \(token.description)")
      }
      guard field.options.insert(option).inserted else {
        throw token.fault("\(option.rawValue) stands there twice")
      }
      try advance()
    }
    guard name.hasPrefix("_") else {
      guard !type.fields.contains(where: { $0.name.hasSameUTF8(as: name) }) else {
        throw place.fault("the field '\(name)' is defined twice")
      }
      return type.fields.append(field)
    }
    guard let system = CloudKitSchema.SystemField(rawValue: name) else {
      throw place.fault("'\(name)' is no field that every record type has, and no other starts with '_'")
    }
    guard field.type == FieldType(system.type) else {
      throw typePlace.fault("'\(name)' is a \(CloudKitSchema.word(for: system.type)), which can't be changed")
    }
    guard type.systemFields.updateValue(field.options, forKey: system) == nil else {
      throw place.fault("the field '\(name)' is defined twice")
    }
  }

  private mutating func dataType() throws(SchemaFault) -> (FieldType, isEncrypted: Bool) {
    guard isWord("LIST") else {
      let (element, isEncrypted) = try single()
      return (FieldType(element), isEncrypted)
    }
    try advance()
    try expect("<")
    if isWord("LIST") { throw token.fault("a list of lists is no type") }
    let (element, isEncrypted) = try single()
    try expect(">")
    return (FieldType(element, isList: true), isEncrypted)
  }

  private mutating func single() throws(SchemaFault) -> (FieldType.Element, isEncrypted: Bool) {
    let isEncrypted = isWord("ENCRYPTED")
    if isEncrypted { try advance() }
    if !isEncrypted, isWord("NUMBER") {
      try advance()
      return (try preferredNumber(), false)
    }
    let known = CloudKitSchema.types.keys.filter { !isEncrypted || ($0 != "ASSET" && $0 != "REFERENCE") }
    guard case .word(let word) = token.kind, known.contains(word.uppercased()),
      let element = CloudKitSchema.types[word.uppercased()]
    else {
      let words = known.sorted() + (isEncrypted ? [] : ["NUMBER", "ENCRYPTED …", "LIST<…>"])
      throw token.fault("expected a type (\(words.joined(separator: ", "))), not \(token.description)")
    }
    try advance()
    return (element, isEncrypted)
  }

  /// What a `NUMBER` is to be; a double, which takes integers too, unless it says.
  private mutating func preferredNumber() throws(SchemaFault) -> FieldType.Element {
    guard isWord("PREFERRED") else { return .double }
    try advance()
    try expect("AS")
    let element: FieldType.Element
    if isWord("INT64") {
      element = .int64
    } else if isWord("DOUBLE") {
      element = .double
    } else {
      throw token.fault("expected INT64 or DOUBLE, not \(token.description)")
    }
    try advance()
    return element
  }

  private mutating func grant(_ type: inout CloudKitSchema.RecordType) throws(SchemaFault) {
    repeat {
      try advance()
      guard ["READ", "CREATE", "WRITE"].contains(where: isWord) else {
        throw token.fault("expected READ, CREATE or WRITE, not \(token.description)")
      }
      try advance()
    } while isSign(",")
    try expect("TO")
    _ = try name("the name of a role")
    type.grants += 1
  }

  // MARK: Tokens

  private mutating func advance() throws(SchemaFault) { token = try lexer.next() }

  private func isWord(_ word: String) -> Bool {
    guard case .word(let text) = token.kind else { return false }
    return text.uppercased() == word
  }

  private func isSign(_ sign: Unicode.Scalar) -> Bool { token.kind == .sign(sign) }

  /// Passes over a word of the language, or a sign.
  private mutating func expect(_ text: String) throws(SchemaFault) {
    let isThere = text.unicodeScalars.first.map { isSign($0) } ?? false
    guard isWord(text) || (isThere && text.unicodeScalars.count == 1) else {
      throw token.fault("expected \(text), not \(token.description)")
    }
    try advance()
  }

  private mutating func name(_ what: String) throws(SchemaFault) -> String {
    let name: String
    switch token.kind {
    case .quoted(let text): name = text
    case .word(let text):
      guard !CloudKitSchema.reservedWords.contains(text.lowercased()) else {
        throw token.fault("'\(text)' is a word of the language: as a name it stands in double quotes")
      }
      name = text
    default: throw token.fault("expected \(what), not \(token.description)")
    }
    try advance()
    return name
  }
}
