import JSONRPC

/// All that a database has beside its records, as an export of everything begins with it.
struct DatabaseSchema {
  /// As `fetchSchema` gives them.
  let recordTypes: [JSON]
  let zones: [String]

  init(recordTypes: [JSON], zones: [String]) {
    self.recordTypes = recordTypes
    self.zones = zones
  }

  /// Nil when the row is none.
  init?(row: JSON) {
    let members = Array(row.members)
    guard members.count == 2, let types = row["recordTypes"], types.kind == .array, let zones = row["zones"],
      zones.kind == .array,
      types.elements.allSatisfy({ $0["name"]?.kind == .string && $0["fields"]?.kind == .array }),
      zones.elements.allSatisfy({ $0.kind == .string })
    else { return nil }
    recordTypes = Array(types.elements)
    self.zones = zones.elements.compactMap(\.stringValue)
  }

  var node: JSONNode {
    .object([
      ("recordTypes", .array(recordTypes.map { .json($0) })), ("zones", .array(zones.map { .string($0) })),
    ])
  }

  /// Asks the service.
  @MainActor
  init(_ session: Session) async throws(Failure) {
    let schema = try await session.call("fetchSchema", [])
    let reply = try await session.call("fetchZones", [])
    recordTypes = schema["recordTypes"].map { Array($0.elements) } ?? []
    zones = (reply["zones"]?.elements.compactMap { $0["zoneName"]?.stringValue } ?? []).filter {
      $0 != "_defaultZone"
    }
  }

  /// Only sees whether it could be brought.
  @MainActor
  func check(_ session: Session) async throws(Failure) {
    try await TypeDeclarations(types: recordTypes.compactMap { .init(described: $0) }).check(session)
  }

  /// Has the database be so, too, but for the defaults; what else it has stays.
  @MainActor
  func bring(_ session: Session) async throws(Failure) {
    try await check(session)
    let types = TypeDeclarations(types: recordTypes.compactMap { .init(described: $0, withDefaults: false) })
    try await types.declare(session, prints: false)
    for zone in zones { _ = try await session.call("saveZone", [("zoneName", .string(zone))]) }
  }

  /// The rest, once the records are there: those that were made before a default was declared come without it.
  @MainActor
  func bringDefaults(_ session: Session) async throws(Failure) {
    let types = TypeDeclarations(types: recordTypes.compactMap { .init(defaultsOf: $0) })
    try await types.declare(session, prints: false)
  }
}
