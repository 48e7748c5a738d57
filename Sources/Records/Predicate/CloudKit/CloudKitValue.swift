import JSONRPC

/// Reads `{"value", "type"?}`, the form that a field's value has in CloudKit Web Services.
struct CloudKitValue {
  private enum Kind: String, CaseIterable {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case boolean = "BOOLEAN"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case location = "LOCATION"
    case reference = "REFERENCE"
    case asset = "ASSETID"
  }

  /// The system key that the value is compared with, if it is one: their types are known.
  let systemKey: SystemKey?

  /// Values are of our own form too (`{"$date":…}`), whatever the type; without a type so are a number, a text
  /// and a truth, and objects are taken for what their members say.
  func read(_ json: JSON, at place: CloudKitPlace) throws(RecordError) -> Predicate.Expression {
    guard json.kind == .object else { throw place.error(mustBe: "an object with value and type") }
    // Null is a value here, and a missing one is none.
    guard let value = json["value"] else { throw place.error("\(place.name) must have a value") }
    let members = try place.members(of: json, known: ["value", "type"])
    var isList = value.kind == .array
    var kind: Kind?
    if let type = members[1] {
      let name = type.stringValue ?? ""
      let listSuffix = "_LIST"
      let base = name.hasSuffix(listSuffix) ? String(name.dropLast(listSuffix.count)) : name
      kind = base == "ASSET" ? .asset : Kind(rawValue: base)
      guard kind != nil else {
        let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw place.member("type").error(mustBe: "one of \(known), or one of these with _LIST behind it")
      }
      if base != name, !value.isNull {
        isList = true
        guard value.kind == .array else {
          throw place.member("value").error(mustBe: "a list, as its type says")
        }
      }
    }
    let valuePlace = place.member("value")
    guard isList else { return .value(try single(value, kind, at: valuePlace)) }
    var elements: [Predicate.Expression] = []
    for element in value.elements {
      elements.append(.value(try single(element, kind, at: valuePlace.element(elements.count))))
    }
    return .list(elements)
  }

  private func single(_ json: JSON, _ kind: Kind?, at place: CloudKitPlace) throws(RecordError) -> FieldValue?
  {
    if json.isNull { return nil }
    let value = json.isOwnForm || kind == nil ? try plain(json, at: place) : try typed(json, kind, at: place)
    switch (systemKey, value) {
    case (.creationDate, .int64(let moment)), (.modificationDate, .int64(let moment)):
      guard DateText.range.contains(moment) else { throw place.error(mustBe: Self.expectedDate) }
      return .date(moment)
    // A record is named by a reference in CloudKit, and by its name here.
    case (.recordName, .reference(let reference)), (.creatorUserRecordID, .reference(let reference)),
      (.lastModifiedUserRecordID, .reference(let reference)):
      return .string(reference.recordName)
    default: return value
    }
  }

  private static let expectedDate = "a date in milliseconds since 1970, in the years 1 to 9999"

  // MARK: Without a type

  private func plain(_ json: JSON, at place: CloudKitPlace) throws(RecordError) -> FieldValue {
    if json.kind == .object, !json.isOwnForm {
      if json["latitude"] != nil, json["longitude"] != nil { return try location(json, at: place) }
      if json["recordName"] != nil { return try reference(json, at: place) }
    }
    if json.kind == .array { throw place.error(mustBe: "a single value") }
    do throws(RecordError) {
      guard let value = try FieldValue(json: json) else { throw place.error(mustBe: "a value") }
      return value
    } catch {
      throw place.error("\(place.name): \(error.message)")
    }
  }

  // MARK: With a type

  private func typed(_ json: JSON, _ kind: Kind?, at place: CloudKitPlace) throws(RecordError) -> FieldValue {
    switch kind {
    case .string:
      guard let text = json.stringValue else { throw place.error(mustBe: "a text") }
      return .string(text)
    case .int64:
      // Web services write numbers as texts where they are asked to.
      guard let integer = json.int64Value ?? json.stringValue.flatMap({ Int64($0) }) else {
        throw place.error(mustBe: "an integer of 64 bits")
      }
      return .int64(integer)
    case .double:
      guard let double = json.doubleValue ?? json.stringValue.flatMap({ Double($0) }), double.isFinite else {
        throw place.error(mustBe: "a number")
      }
      return .double(double)
    case .boolean:
      guard let truth = json.boolValue else { throw place.error(mustBe: "true or false") }
      return .boolean(truth)
    case .timestamp:
      guard let moment = json.int64Value ?? json.doubleValue.flatMap({ Int64(exactly: $0.rounded()) }),
        DateText.range.contains(moment)
      else { throw place.error(mustBe: Self.expectedDate) }
      return .date(moment)
    case .bytes:
      guard let bytes = json.stringValue.flatMap(Base64.decode) else {
        throw place.error(mustBe: "base64 text (RFC 4648, with padding)")
      }
      return .bytes(bytes)
    case .location: return .location(try Self.location(json, at: place))
    case .reference: return try reference(json, at: place)
    case .asset: return try asset(json, at: place)
    case nil: return try plain(json, at: place)
    }
  }

  /// `{"latitude", "longitude"}` and what else a location dictionary holds, which doesn't count.
  static func location(_ json: JSON, at place: CloudKitPlace) throws(RecordError) -> Location {
    let members = try place.members(
      of: json,
      known: [
        "latitude", "longitude", "altitude", "horizontalAccuracy", "verticalAccuracy", "course", "speed",
        "timestamp",
      ])
    guard let latitude = members[0]?.doubleValue, let longitude = members[1]?.doubleValue,
      let location = Location(latitude: latitude, longitude: longitude)
    else {
      throw place.error(
        mustBe: "a location with a latitude from -90 to 90 and a longitude from -180 to 180, in degrees")
    }
    return location
  }

  private func location(_ json: JSON, at place: CloudKitPlace) throws(RecordError) -> FieldValue {
    .location(try Self.location(json, at: place))
  }

  private func reference(_ json: JSON, at place: CloudKitPlace) throws(RecordError) -> FieldValue {
    let members = try place.members(of: json, known: ["recordName", "action", "zoneID", "zoneName"])
    guard let recordName = members[0]?.stringValue else {
      throw place.member("recordName").error(mustBe: "the name of a record")
    }
    var reference = Reference(recordName: recordName)
    if let action = members[1] {
      switch action.stringValue {
      case "NONE", "VALIDATE", "none": reference.action = .none
      case "DELETE_SELF", "deleteSelf": reference.action = .deleteSelf
      default: throw place.member("action").error(mustBe: "one of NONE, DELETE_SELF, VALIDATE")
      }
    }
    if let zone = members[2] {
      let zonePlace = place.member("zoneID")
      let zoneMembers = try zonePlace.members(of: zone, known: ["zoneName", "ownerRecordName", "zoneType"])
      reference.zoneName = try name(zoneMembers[0], at: zonePlace.member("zoneName"))
    } else if let zoneName = members[3] {
      reference.zoneName = try name(zoneName, at: place.member("zoneName"))
    }
    do throws(RecordError) {
      try Identifier.check(recordName, as: .recordName)
      if let zoneName = reference.zoneName { try Identifier.check(zoneName, as: .zoneName) }
    } catch {
      throw place.error("\(place.name): \(error.message)")
    }
    return .reference(reference)
  }

  private func name(_ json: JSON?, at place: CloudKitPlace) throws(RecordError) -> String {
    guard let name = json?.stringValue else { throw place.error(mustBe: "the name of a zone") }
    return name
  }

  private func asset(_ json: JSON, at place: CloudKitPlace) throws(RecordError) -> FieldValue {
    guard let checksum = json["fileChecksum"]?.stringValue, let size = json["size"]?.int64Value, size >= 0
    else {
      throw place.error(mustBe: "an object with fileChecksum and size")
    }
    return .asset(Asset(checksum: checksum, size: size))
  }
}

extension JSON {
  /// Whether this is an object such as `{"$date":…}`.
  fileprivate var isOwnForm: Bool {
    guard kind == .object else { return false }
    var members = members.makeIterator()
    return members.next()?.isMarked ?? false
  }
}
