import JSONRPC
import Records

/// Records as CloudKit Web Services give them, in one `{"records":[…]}`.
struct CloudKitExport: ExportForm {
  private var objects = 0
  private var actions = 0
  private var booleans = 0

  var heading: String { "{\"records\":[\n" }
  var separator: String { ",\n" }
  var ending: String { "]}\n" }

  var notes: [String] {
    var notes: [String] = []
    if booleans > 0 {
      notes.append("\(booleans) booleans are written as BOOLEAN: CloudKit itself has 0 and 1 for them")
    }
    if objects > 0 { notes.append("\(objects) objects are written as their JSON text: CloudKit has none") }
    if actions > 0 {
      notes.append(
        "\(actions) references are written without setNull or restrict, which CloudKit doesn't know")
    }
    return notes
  }

  mutating func bytes(of record: JSON) -> [UInt8] {
    var fields: [(String, JSONNode)] = []
    for member in (record["fields"] ?? JSON(unchecked: [])).members {
      if let field = field(member.value) { fields.append((member.name, field)) }
    }
    var members: [(String, JSONNode)] = []
    for name in ["recordName", "recordType"] {
      if let value = record[name] { members.append((name, .json(value))) }
    }
    members.append(("fields", .object(fields)))
    for name in ["recordChangeTag", "created", "modified"] {
      if let value = record[name] { members.append((name, .json(value))) }
    }
    members.append(("deleted", false))
    if let zone = record["zoneName"] { members.append(("zoneID", Self.zone(zone))) }
    return JSONNode.object(members).encoded()
  }

  private static func zone(_ name: JSON) -> JSONNode { .object([("zoneName", .json(name))]) }

  private mutating func field(_ json: JSON) -> JSONNode? {
    guard let value = try? FieldValue(json: json) else { return nil }
    guard case .list(let elements) = value else {
      let (node, word) = single(value)
      return .object([("value", node), ("type", .string(word))])
    }
    var nodes: [JSONNode] = []
    var type: String?
    for element in elements {
      let (node, word) = single(element)
      nodes.append(node)
      type = word
    }
    // An empty list may be one of anything.
    let words: [(String, JSONNode)] = type.map { [("type", .string($0 + "_LIST"))] } ?? []
    return .object([("value", .array(nodes))] + words)
  }

  private mutating func single(_ value: FieldValue) -> (JSONNode, type: String) {
    switch value {
    case .string(let text): return (.string(text), "STRING")
    case .int64(let integer): return (.int(integer), "INT64")
    case .double(let double): return (.double(double), "DOUBLE")
    case .boolean(let truth):
      booleans += 1
      return (.bool(truth), "BOOLEAN")
    case .date(let moment): return (.int(moment), "TIMESTAMP")
    case .bytes: return (.json(value.json["$bytes"] ?? value.json), "BYTES")
    case .location: return (.json(value.json["$location"] ?? value.json), "LOCATION")
    case .reference(let reference): return (node(of: reference), "REFERENCE")
    case .asset(let asset):
      return (
        .object([("fileChecksum", .string(asset.checksum)), ("size", .int(asset.size))]), "ASSETID"
      )
    case .object(let json):
      objects += 1
      return (.string(json.text), "STRING")
    // There is no list in a list.
    case .list: return (.null, "STRING")
    }
  }

  private mutating func node(of reference: Reference) -> JSONNode {
    var members: [(String, JSONNode)] = [("recordName", .string(reference.recordName))]
    switch reference.action {
    case .deleteSelf: members.append(("action", "DELETE_SELF"))
    case .validate: members.append(("action", "VALIDATE"))
    case .none: members.append(("action", "NONE"))
    case .setNull, .restrict:
      actions += 1
      members.append(("action", "NONE"))
    }
    if let zone = reference.zoneName { members.append(("zoneID", .object([("zoneName", .string(zone))]))) }
    return .object(members)
  }
}
