/// The fields of a record that two clients changed, each without knowing of the other.
public struct MergedFields: Sendable, Equatable {
  /// Those of the server in their order, then what the client brought.
  public private(set) var fields: [RecordBody.Field] = []
  /// Those that both had changed, and a policy settled.
  public private(set) var settled: [String] = []

  /// Merges what became of `ancestor`: what one side alone changed is as that side has it, and what both made the
  /// same is that, unless both are to count (`sum`). Nil when both changed a field and its policy, if it has one,
  /// can't settle it.
  public init?(
    ancestor: [RecordBody.Field], server: [RecordBody.Field], client: [RecordBody.Field],
    policy: (_ field: String) -> MergePolicy?
  ) {
    let before = Self.values(of: ancestor)
    let there = Self.values(of: server)
    let sent = Self.values(of: client)
    // One that the server removed is decided like one that the client adds.
    let names = server.map(\.name) + client.map(\.name).filter { there[FieldName($0)] == nil }
    for name in names {
      let sides = Sides(
        server: there[FieldName(name)], client: sent[FieldName(name)], ancestor: before[FieldName(name)])
      guard case .value(let merged) = sides.merged(by: policy(name)) else { return nil }
      if let merged { fields.append(RecordBody.Field(name: name, value: merged)) }
      if sides.isContested, sides.server != sides.client || merged != sides.server { settled.append(name) }
    }
  }

  private static func values(of fields: [RecordBody.Field]) -> [FieldName: FieldValue] {
    Dictionary(fields.map { (FieldName($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

/// What became of one field; nil where it is missing.
private struct Sides {
  var server: FieldValue?
  var client: FieldValue?
  var ancestor: FieldValue?

  /// Whether both changed it.
  var isContested: Bool { server != ancestor && client != ancestor }

  func merged(by policy: MergePolicy?) -> MergePolicy.Settlement {
    if client == ancestor { return .value(server) }
    if server == ancestor { return .value(client) }
    if let policy { return policy.settle(server: server, client: client, ancestor: ancestor) }
    return server == client ? .value(server) : .none
  }
}
