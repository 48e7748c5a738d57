import JSONRPC
import ListsClient
import Records

/// Objects of one class as Parse exports them, in one `{"results":[…]}`.
@MainActor
struct ParseExport: ExportForm {
  private struct Target: Hashable {
    let zone: String
    let name: String
  }

  private let session: Session
  /// The record types of those that the page's records refer to.
  private var classes: [Target: String] = [:]
  private var lost = 0

  init(_ session: Session) { self.session = session }

  var heading: String { "{\"results\":[\n" }
  var separator: String { ",\n" }
  var ending: String { "]}\n" }

  var notes: [String] {
    lost > 0 ? ["\(lost) pointers have no className: there is no such record"] : []
  }

  /// A pointer names the class that it points to, which a reference doesn't.
  mutating func prepare(_ records: [JSON]) async throws(Failure) {
    classes = [:]
    var wanted: Set<Target> = []
    for record in records.map(StoredRecord.init(body:)) {
      for field in record.fields { Self.collect(field.value, record.zoneName, &wanted) }
    }
    var byZone: [String: [String]] = [:]
    for target in wanted { byZone[target.zone, default: []].append(target.name) }
    for (zone, names) in byZone {
      for start in stride(from: 0, to: names.count, by: 500) {
        try await look(up: Array(names[start..<min(start + 500, names.count)]), zone)
      }
    }
  }

  private static func collect(_ value: FieldValue, _ zone: String, _ wanted: inout Set<Target>) {
    switch value {
    case .reference(let reference):
      wanted.insert(Target(zone: reference.zoneName ?? zone, name: reference.recordName))
    case .list(let elements): for element in elements { collect(element, zone, &wanted) }
    default: break
    }
  }

  private mutating func look(up names: [String], _ zone: String) async throws(Failure) {
    let params: [(String, JSONNode)] = [
      ("recordNames", .array(names.map { .string($0) })), ("zoneName", .string(zone)),
      ("desiredKeys", .array([])),
    ]
    do throws(Failure) {
      let reply = try await session.call("fetchRecords", params)
      for (name, result) in zip(names, reply["results"].map { Array($0.elements) } ?? []) {
        let record = result["record"] ?? result
        classes[Target(zone: zone, name: name)] = record["recordType"]?.stringValue
      }
    } catch {
      // A zone that a reference names need not be there.
      guard error.rejection?.errorCode == "zoneNotFound" else { throw error }
    }
  }

  mutating func bytes(of record: JSON) -> [UInt8] {
    let stored = StoredRecord(body: record)
    var members: [(String, JSONNode)] = [("objectId", .string(stored.recordName))]
    for (name, moment) in [("createdAt", stored.created), ("updatedAt", stored.modified)] {
      // What came from Parse has its own dates among its fields.
      guard case .date(let own)? = stored.value(forKey: name) else {
        members.append((name, .string(DateText.format(moment.timestamp))))
        continue
      }
      members.append((name, .string(DateText.format(own))))
    }
    for field in stored.fields where !["objectId", "createdAt", "updatedAt"].contains(field.name) {
      members.append((field.name, node(field.value, stored.zoneName)))
    }
    return JSONNode.object(members).encoded()
  }

  private mutating func node(_ value: FieldValue, _ zone: String) -> JSONNode {
    switch value {
    case .string, .int64, .double, .boolean, .object: return .json(value.json)
    case .list(let elements): return .array(elements.map { node($0, zone) })
    case .date(let moment): return Self.typed("Date", [("iso", .string(DateText.format(moment)))])
    case .bytes: return Self.typed("Bytes", [("base64", .json(value.json["$bytes"] ?? value.json))])
    case .location(let location):
      return Self.typed(
        "GeoPoint", [("latitude", .double(location.latitude)), ("longitude", .double(location.longitude))])
    case .asset(let asset):
      return Self.typed("File", [("name", .string(asset.checksum)), ("size", .int(asset.size))])
    case .reference(let reference):
      let name = classes[Target(zone: reference.zoneName ?? zone, name: reference.recordName)]
      if name == nil { lost += 1 }
      let className = name.map { Self.ownClasses.contains($0) ? "_" + $0 : $0 }
      return Self.typed(
        "Pointer",
        [("className", className.map { .string($0) } ?? .null), ("objectId", .string(reference.recordName))])
    }
  }

  /// Parse's own classes, whose names begin with a `_` there, and with none here.
  private static let ownClasses: Set<String> = ["User", "Role", "Session", "Installation"]

  private static func typed(_ type: String, _ members: [(String, JSONNode)]) -> JSONNode {
    .object([("__type", .string(type))] + members)
  }
}
