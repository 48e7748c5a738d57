import JSONRPC
import Records

/// Records as CloudKit Web Services give them: `{"recordName", "recordType", "fields": {name: {"value", "type"}}, …}`.
struct CloudKitForm: RecordForm {
  private(set) var deleted = 0
  private var places = 0
  private var files = 0

  var notes: [String] {
    var notes: [String] = []
    if deleted > 0 { notes.append("\(deleted) records that were deleted in CloudKit passed over") }
    if places > 0 {
      notes.append("\(places) locations without the altitude, course, speed and accuracy that they had")
    }
    if files > 0 {
      notes.append("\(files) files were not in the export, and are kept as their checksum, size and URL")
    }
    return notes
  }

  /// Values stand in objects with `value`, and there is no `zoneName`, which this service's own records have.
  static func isForm(of row: JSON) -> Bool {
    guard row["zoneName"] == nil, row["recordName"]?.kind == .string || row["recordType"]?.kind == .string
    else {
      return false
    }
    if row["serverErrorCode"] != nil || row["zoneID"] != nil || row["pluginFields"] != nil { return true }
    guard let fields = row["fields"], fields.kind == .object, !fields.members.isEmpty else { return false }
    return fields.members.allSatisfy { $0.value.kind == .object && $0.value["value"] != nil }
  }

  mutating func read(_ row: JSON) throws(RowMapping.Fault) -> ForeignRecord? {
    guard row.kind == .object else {
      throw .init(reason: "it is \(JSONPath.description(of: row)), not a record of CloudKit")
    }
    if let code = row["serverErrorCode"]?.stringValue {
      throw .init(
        reason: "it is no record but an error of CloudKit: \(code), \(row["reason"]?.stringValue ?? "")")
    }
    if row["deleted"]?.boolValue == true {
      deleted += 1
      return nil
    }
    guard let fields = row["fields"], fields.kind == .object else { throw .init(reason: "it has no fields") }
    var values: [(String, JSONNode)] = []
    for member in fields.members {
      let name = member.name
      do throws(RowMapping.Fault) {
        values.append((name, try value(member.value)))
      } catch {
        throw .init(reason: "its '\(name)' \(error.reason)")
      }
    }
    return ForeignRecord(
      type: row["recordType"]?.stringValue ?? "", name: row["recordName"]?.stringValue,
      zone: row["zoneID"]?["zoneName"]?.stringValue, fields: values)
  }

  // MARK: Values

  private enum Kind: String {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case boolean = "BOOLEAN"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case location = "LOCATION"
    case reference = "REFERENCE"
    case asset = "ASSETID"
    case any = "UNKNOWN"

    /// Also by the words for encrypted values and for numbers that were not declared.
    init?(word: some StringProtocol) {
      var word = word[...]
      if word.hasPrefix("ENCRYPTED_") { word = word.dropFirst("ENCRYPTED_".count) }
      if word.hasPrefix("NUMBER_") { word = word.dropFirst("NUMBER_".count) }
      switch word {
      case "ASSET": self = .asset
      case "EMPTY": self = .any
      case "INT": self = .int64
      default: self.init(rawValue: String(word))
      }
    }
  }

  private mutating func value(_ field: JSON) throws(RowMapping.Fault) -> JSONNode {
    guard field.kind == .object, let value = field["value"] else {
      throw .init(reason: "is no object with value and type")
    }
    var kind = Kind.any
    if let word = field["type"], !word.isNull {
      let text = word.stringValue ?? word.text
      let isList = text.hasSuffix("_LIST")
      guard let known = Kind(word: isList ? text.dropLast("_LIST".count) : text[...]) else {
        throw .init(reason: "has the unknown type \(text)")
      }
      guard !isList || value.kind == .array || value.isNull else { throw .init(reason: "is no list") }
      kind = known
    }
    guard value.kind == .array else { return try single(value, kind) }
    var elements: [JSONNode] = []
    for element in value.elements { elements.append(try single(element, kind)) }
    return .array(elements)
  }

  private mutating func single(_ value: JSON, _ kind: Kind) throws(RowMapping.Fault) -> JSONNode {
    if value.isNull { return .null }
    switch kind {
    case .string where value.kind == .string, .boolean where value.kind == .boolean: return .json(value)
    case .int64:
      // Web services write numbers as texts where they are asked to.
      if let integer = value.int64Value ?? value.stringValue.flatMap({ Int64($0) }) { return .int(integer) }
    case .double:
      let number = value.doubleValue ?? value.stringValue.flatMap { Double($0) }
      if let number, number.isFinite { return .double(number) }
    case .timestamp:
      let number = value.doubleValue ?? value.stringValue.flatMap { Double($0) }
      let moment = value.int64Value ?? number.flatMap { Int64(exactly: $0.rounded()) }
      if let moment { return .object([("$date", .int(moment))]) }
    case .bytes where value.kind == .string: return .object([("$bytes", .json(value))])
    case .location: if let node = location(value) { return node }
    case .reference: if let node = Self.reference(value) { return node }
    case .asset: return try asset(value)
    case .any: return try untyped(value)
    default: break
    }
    throw .init(reason: "is no \(kind.rawValue): \(value.text.prefix(80))")
  }

  /// A value without a type, by what it looks like.
  private mutating func untyped(_ value: JSON) throws(RowMapping.Fault) -> JSONNode {
    guard value.kind == .object else {
      guard value.kind != .array else { throw .init(reason: "is a list in a list") }
      return .json(value)
    }
    if let node = location(value) ?? Self.reference(value) { return node }
    return try asset(value)
  }

  private mutating func location(_ value: JSON) -> JSONNode? {
    guard let latitude = value["latitude"]?.doubleValue, let longitude = value["longitude"]?.doubleValue
    else {
      return nil
    }
    if value.members.contains(where: {
      !$0.isNamed("latitude") && !$0.isNamed("longitude") && !$0.value.isNull
    }) {
      places += 1
    }
    return .object([
      ("$location", .object([("latitude", .double(latitude)), ("longitude", .double(longitude))]))
    ])
  }

  private static func reference(_ value: JSON) -> JSONNode? {
    guard let name = value["recordName"]?.stringValue else { return nil }
    var members: [(String, JSONNode)] = [("recordName", .string(name))]
    if let zone = value["zoneID"]?["zoneName"]?.stringValue { members.append(("zoneName", .string(zone))) }
    switch value["action"]?.stringValue {
    case "DELETE_SELF": members.append(("action", "deleteSelf"))
    case "VALIDATE": members.append(("action", "validate"))
    default: break
    }
    return .object([("$reference", .object(members))])
  }

  /// An asset is known by the SHA-256 of its file here, which CloudKit's `fileChecksum` is not: of that what is said of
  /// the file is kept, as of a file of Parse.
  private mutating func asset(_ value: JSON) throws(RowMapping.Fault) -> JSONNode {
    guard let checksum = value["fileChecksum"]?.stringValue, let size = value["size"]?.int64Value else {
      throw .init(reason: "is no value of CloudKit: \(value.text.prefix(80))")
    }
    guard checksum.utf8.count == 64, checksum.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else {
      files += 1
      let kept = value.members.filter { ["fileChecksum", "size", "downloadURL"].contains($0.name) }
      return .object(kept.map { ($0.name, .json($0.value)) })
    }
    return .object([("$asset", .object([("checksum", .string(checksum)), ("size", .int(size))]))])
  }
}
