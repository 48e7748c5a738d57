import JSONRPC
import Records

/// Objects as Parse exports them: `{"objectId", "createdAt", name: value, …}`, where values that JSON has no form for
/// are objects with `__type`. A file has those of one class.
struct ParseForm: RecordForm {
  /// The class of objects that don't say theirs.
  private let className: String?
  private let join: Join?
  private let numbers: NumberTypes?
  private var relations = 0
  private var files = 0

  /// Rows that say who is in a relation stand in files of their own, `_Join:likes:Post`.
  private struct Join {
    let field: String
    let owner: String
  }

  /// - Parameter numbers: What numbers become; nil: doubles.
  init(className: String?, numbers: NumberTypes? = nil) {
    self.numbers = numbers
    let parts = className?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    join =
      parts.count == 3 && parts[0] == "_Join" ? Join(field: parts[1], owner: Self.recordType(parts[2])) : nil
    self.className = className.map(Self.recordType)
  }

  var notes: [String] {
    var notes: [String] = []
    if relations > 0 {
      notes.append(
        "\(relations) relations have their members in files of their own, such as '_Join:likes:Post.json': "
          + "import those, too")
    }
    if files > 0 { notes.append("\(files) files were not in the export, and are kept as their name and URL") }
    return notes + (numbers?.notes ?? [])
  }

  static func isForm(of row: JSON) -> Bool {
    if row["owningId"]?.kind == .string, row["relatedId"]?.kind == .string { return true }
    return row["objectId"]?.kind == .string && row["fields"] == nil && row["recordType"] == nil
  }

  /// The class that a file's name says: `_User` of `export/_User.json`.
  static func className(ofFile path: String) -> String? {
    guard path != "-", let file = path.split(separator: "/").last else { return nil }
    let name = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    return name.isEmpty ? nil : String(name)
  }

  /// Parse's own classes begin with `_`, which no type of a user's may here.
  private static func recordType(_ className: String) -> String {
    String(className.drop { $0 == "_" })
  }

  mutating func read(_ row: JSON) throws(RowMapping.Fault) -> ForeignRecord? {
    guard row.kind == .object else {
      throw .init(reason: "it is \(JSONPath.description(of: row)), not an object of Parse")
    }
    if let join { return try member(row, of: join) }
    let isMarked = row["__type"]?.isString("Object") == true
    guard let type = type(of: row), !type.isEmpty else {
      throw .init(reason: "its class isn't known: give --type")
    }
    var fields: [(String, JSONNode)] = []
    for member in row.members {
      let name = member.name
      if name == "objectId" || name == "className" || (isMarked && name == "__type") { continue }
      if (name == "createdAt" || name == "updatedAt"), let moment = member.value.stringValue {
        fields.append((name, .object([("$date", .string(moment))])))
        continue
      }
      do throws(RowMapping.Fault) {
        if let value = try value(member.value, name, type) { fields.append((name, value)) }
      } catch {
        throw .init(reason: "its '\(name)' \(error.reason)")
      }
    }
    return ForeignRecord(type: type, name: row["objectId"]?.stringValue, fields: fields)
  }

  private func type(of row: JSON) -> String? {
    row["className"]?.stringValue.map(Self.recordType) ?? className
  }

  /// Takes the numbers of a row into account, before the first row is read for good.
  func note(_ row: JSON, in numbers: inout NumberTypes) {
    guard join == nil, let type = type(of: row) else { return }
    for member in row.members {
      switch member.value.kind {
      case .number: numbers.note(member.value, of: member.name, in: type)
      case .array:
        for element in member.value.elements where element.kind == .number {
          numbers.note(element, of: member.name, in: type)
        }
      default: break
      }
    }
  }

  private func member(_ row: JSON, of join: Join) throws(RowMapping.Fault) -> ForeignRecord {
    guard let owner = row["owningId"]?.stringValue, let related = row["relatedId"]?.stringValue else {
      throw .init(reason: "it has no owningId and relatedId, as rows of a relation have")
    }
    let members = JSONNode.object([("$addUnique", .array([Self.reference(related)]))])
    return ForeignRecord(
      type: join.owner, name: owner, fields: [(join.field, members)], operationType: "update")
  }

  // MARK: Values

  /// Nil for what the row does not hold: the members of a relation.
  private mutating func value(
    _ json: JSON, _ name: String, _ type: String
  ) throws(RowMapping.Fault) -> JSONNode? {
    guard json.kind == .array else { return try single(json, name, type) }
    var elements: [JSONNode] = []
    for element in json.elements {
      guard element.kind != .array, let value = try single(element, name, type) else {
        throw .init(reason: "is a list with what no list holds here: \(element.text.prefix(80))")
      }
      elements.append(value)
    }
    return .array(elements)
  }

  private mutating func single(
    _ json: JSON, _ name: String, _ recordType: String
  ) throws(RowMapping.Fault) -> JSONNode? {
    if json.kind == .number {
      // A Number of Parse is a double, whether it has a point or not.
      return numbers?.value(json, of: name, in: recordType) ?? json.doubleValue.map { .double($0) }
        ?? .json(json)
    }
    guard json.kind == .object, let type = json["__type"]?.stringValue else { return .json(json) }
    switch type {
    case "Date":
      if let moment = json["iso"] { return .object([("$date", .json(moment))]) }
    case "Bytes":
      // Some writers cut base64 into lines.
      if let text = json["base64"]?.stringValue {
        return .object([("$bytes", .string(String(text.filter { !$0.isWhitespace })))])
      }
    case "Pointer", "Object":
      if let name = json["objectId"]?.stringValue { return Self.reference(name) }
    case "GeoPoint":
      if let latitude = json["latitude"], let longitude = json["longitude"] {
        return Self.location(.json(latitude), .json(longitude))
      }
    case "Polygon": return try Self.polygon(json)
    case "Relation":
      relations += 1
      return nil
    case "File": return Self.file(json, &files)
    default: return .json(json)
    }
    throw .init(reason: "is no \(type): \(json.text.prefix(80))")
  }

  private static func reference(_ name: String) -> JSONNode {
    .object([("$reference", .object([("recordName", .string(name))]))])
  }

  private static func location(_ latitude: JSONNode, _ longitude: JSONNode) -> JSONNode {
    .object([("$location", .object([("latitude", latitude), ("longitude", longitude)]))])
  }

  /// Its corners, as `WITHIN POLYGON` takes them.
  private static func polygon(_ json: JSON) throws(RowMapping.Fault) -> JSONNode {
    var corners: [JSONNode] = []
    for corner in json["coordinates"].map({ Array($0.elements) }) ?? [] {
      let numbers = Array(corner.elements)
      guard numbers.count == 2 else { throw .init(reason: "is no Polygon: \(json.text.prefix(80))") }
      corners.append(location(.json(numbers[0]), .json(numbers[1])))
    }
    return .array(corners)
  }

  /// A file that this program exported is known by its SHA-256; of another only name and URL are there.
  private static func file(_ json: JSON, _ files: inout Int) -> JSONNode {
    if let name = json["name"]?.stringValue, name.utf8.count == 64, let size = json["size"]?.int64Value {
      return .object([("$asset", .object([("checksum", .string(name)), ("size", .int(size))]))])
    }
    files += 1
    return .json(json)
  }
}
