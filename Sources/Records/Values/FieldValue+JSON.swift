public import JSONRPC

extension FieldValue {
  /// The value that JSON stands for; nil for null.
  ///
  /// JSON's own types are themselves, every other type is an object with one member whose name starts with
  /// `$` (`Protocol/README.md`, "Records and values"). Throws `invalidArguments` for such an object that is
  /// unknown or malformed, for a number beyond the doubles, and for a list of unlike or nested values.
  public init?(json: JSON) throws(RecordError) {
    switch json.kind {
    case .null: return nil
    case .array: self = .list(try Self.readElements(json))
    default: self = try Self.readSingle(json)
    }
  }

  private static func readSingle(_ json: JSON) throws(RecordError) -> FieldValue {
    switch json.kind {
    case .string: return .string(json.stringValue ?? "")
    case .boolean: return .boolean(json.boolValue ?? false)
    case .number: return try readNumber(json)
    case .object: return try readObject(json)
    case .array: throw RecordError(.invalidArguments, "a list in a list is not a field's value")
    case .null: throw RecordError(.invalidArguments, "null in a list is not a field's value")
    }
  }

  private static func readElements(_ json: JSON) throws(RecordError) -> [FieldValue] {
    var elements: [FieldValue] = []
    var types: Set<FieldType.Element> = []
    for element in json.elements {
      let value = try readSingle(element)
      if let type = value.element { types.insert(type) }
      elements.append(value)
    }
    if types.count <= 1 { return elements }
    guard types == [.int64, .double] else {
      let names = types.map(\.rawValue).sorted().joined(separator: " and ")
      throw RecordError(.invalidArguments, "a list holds values of one type, not \(names)")
    }
    guard case .list(let doubles) = FieldType(.double, isList: true).adopt(.list(elements)) else {
      throw RecordError(.invalidArguments, "an integer of the list has more digits than a double keeps")
    }
    return doubles
  }

  private static func readNumber(_ json: JSON) throws(RecordError) -> FieldValue {
    if let integer = json.int64Value { return .int64(integer) }
    guard let double = json.doubleValue else {
      throw RecordError(.invalidArguments, "the number is too large for a double")
    }
    let text = json.text
    let isInteger = !text.utf8.contains { $0 == 0x2E || $0 | 0x20 == UInt8(ascii: "e") }
    guard !isInteger || double.hasShortestDigits(of: text) else {
      throw RecordError(.invalidArguments, "the integer does not fit 64 bits, and a double would lose digits")
    }
    return .double(double)
  }

  private static func readObject(_ json: JSON) throws(RecordError) -> FieldValue {
    var members = json.members.makeIterator()
    guard let first = members.next() else { return .object(json.withoutSpace()) }
    if first.isMarked {
      guard members.next() == nil else { throw notAlone(first) }
      return try readTyped(first)
    }
    while let member = members.next() {
      if member.isMarked { throw notAlone(member) }
    }
    return .object(json.withoutSpace())
  }

  private static func notAlone(_ member: JSON.Member) -> RecordError {
    RecordError(.invalidArguments, "\(member.name) must be the only member of its object")
  }

  private static func readTyped(_ member: JSON.Member) throws(RecordError) -> FieldValue {
    if member.isNamed("$date") { return .date(try readDate(member.value)) }
    if member.isNamed("$reference") { return .reference(try Reference(json: member.value)) }
    if member.isNamed("$location") { return .location(try Location(json: member.value)) }
    if member.isNamed("$asset") { return .asset(try Asset(json: member.value)) }
    if member.isNamed("$bytes") {
      guard let bytes = member.value.stringValue.flatMap(Base64.decode) else {
        throw RecordError(.invalidArguments, "$bytes takes base64 text (RFC 4648, with padding)")
      }
      return .bytes(bytes)
    }
    throw RecordError(
      .invalidArguments,
      "\(member.name) is not a type of value; known are $date, $bytes, $location, $reference, $asset")
  }

  private static func readDate(_ json: JSON) throws(RecordError) -> Int64 {
    if let moment = DateText.parse(json) { return moment }
    if let moment = json.int64Value, DateText.range.contains(moment) { return moment }
    throw RecordError(
      .invalidArguments,
      "$date takes ISO 8601 text such as 2026-12-01T09:30:00.123Z, or milliseconds since 1970, "
        + "in the years 1 to 9999")
  }

  /// Appends the value's JSON, the form in which it is stored and given out.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .string(let text): writer.string(text)
    case .int64(let integer): writer.int(integer)
    case .double(let double): writer.double(double)
    case .boolean(let truth): writer.bool(truth)
    case .object(let json): writer.raw(json)
    case .list(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .date(let moment): writer.marked("$date") { $0.string(DateText.format(moment)) }
    case .bytes(let bytes): writer.marked("$bytes") { $0.string(Base64.encode(bytes)) }
    case .location(let location): writer.marked("$location") { location.write(to: &$0) }
    case .reference(let reference): writer.marked("$reference") { reference.write(to: &$0) }
    case .asset(let asset): writer.marked("$asset") { asset.write(to: &$0) }
    }
  }

  /// The value's JSON.
  public var json: JSON {
    var writer = JSONWriter()
    write(to: &writer)
    return JSON(unchecked: writer.bytes)
  }
}

extension JSONWriter {
  fileprivate mutating func marked(_ name: String, _ value: (inout JSONWriter) -> Void) {
    beginObject()
    key(name)
    value(&self)
    endObject()
  }
}

extension JSON.Member {
  /// Whether the name starts with `$`, the mark of what is not plain JSON.
  var isMarked: Bool {
    let bytes = key.bytes
    let first = bytes.startIndex + 1
    guard first < bytes.endIndex else { return false }
    return bytes[first] == UInt8(ascii: "$") || (bytes[first] == UInt8(ascii: "\\") && name.hasPrefix("$"))
  }
}

extension JSON {
  /// The same tokens with no white space between them: a stored value must not bring line feeds into a reply.
  public func withoutSpace() -> JSON {
    var result: [UInt8] = []
    var isInString = false
    var isEscaped = false
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte <= 0x20 {
        continue
      } else {
        isInString = byte == UInt8(ascii: "\"")
      }
      result.append(byte)
    }
    return JSON(unchecked: result)
  }

  /// The object's members with the names in `known`, in that order, nil where there is none; throws
  /// `invalidArguments` naming any other, or one that stands there twice, or when it is no object. `what`
  /// starts the message, as in "$location".
  func members(of what: String, known: [String]) throws(RecordError) -> [JSON?] {
    guard kind == .object else {
      throw RecordError(.invalidArguments, "\(what) takes an object with \(known.joined(separator: ", "))")
    }
    var found = [JSON?](repeating: nil, count: known.count)
    for member in members {
      guard let index = known.firstIndex(where: { member.isNamed($0) }) else {
        throw RecordError(
          .invalidArguments,
          "'\(member.name)' is not known in \(what); known are \(known.joined(separator: ", "))")
      }
      guard found[index] == nil else {
        throw RecordError(.invalidArguments, "\(what) has '\(member.name)' twice")
      }
      found[index] = member.value
    }
    return found
  }
}
