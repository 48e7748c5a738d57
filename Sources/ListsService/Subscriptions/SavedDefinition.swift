internal import JSONRPC
internal import RecordStore
internal import Records

/// What a saved subscription asks for: parameters of `subscribe`, kept as they were sent.
struct SavedDefinition {
  /// An object of those that were sent, in the order of the method's description, without white space.
  let json: JSON

  /// The parameters that may be saved, in their order; `since` says where to begin and is not kept.
  static let parameters = [
    "recordType", "predicate", "arguments", "variables", "zoneName", "firesOn", "desiredKeys", "since",
    "sendInitial", "filterBy", "recordName", "firesOnce", "include", "watchKeys", "includePrevious",
  ]

  /// Reads the parameters of `saveSubscription`, and checks them as `subscribe` does. Throws what is wrong with
  /// them.
  init(_ invocation: Invocation, in database: Database) throws(RecordError) {
    json = Self.object(invocation.arguments, Self.parameters.filter { $0 != "since" })
    let all = Self.object(invocation.arguments, Self.parameters)
    let definition = try SubscriptionDefinition(invocation.subscribing(with: all))
    if let zone = definition.zoneName { try database.reader.checkZone(zone) }
  }

  init(_ saved: SavedSubscription) { json = JSON(unchecked: Array(saved.definition.utf8)) }

  var text: String { String(decoding: json.bytes, as: UTF8.self) }

  private static func object(_ arguments: Arguments, _ names: [String]) -> JSON {
    var object = JSONWriter()
    object.beginObject()
    for name in names {
      guard let value = arguments[name] else { continue }
      object.key(name)
      object.raw(value.withoutSpace())
    }
    object.endObject()
    return JSON(unchecked: object.bytes)
  }
}

extension Invocation {
  /// The request to `subscribe` that an object of its parameters stands for.
  func subscribing(with parameters: JSON) throws(RecordError) -> Invocation {
    Invocation(session: session, arguments: try Arguments(parameters, of: .subscribe))
  }

  /// The id of a saved subscription. Throws `invalidArguments` for one that none may have: only digits are for those
  /// that a connection makes.
  func savedSubscriptionID() throws(RecordError) -> String {
    let id = try arguments.requiredString("subscriptionID")
    do {
      try Identifier.validate(id, as: .recordName)
    } catch {
      throw .parameter(
        "subscriptionID",
        mustBe: "1 to \(Identifier.maximumBytes) bytes without control characters, with no '_' or '$' first")
    }
    guard id.utf8.contains(where: { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .parameter("subscriptionID", mustBe: "something else than a number")
    }
    return id
  }
}

extension RecordError {
  static func noSavedSubscription(_ id: String) -> RecordError {
    RecordError(.unknownItem, "there is no saved subscription '\(id.shortened)'")
  }
}

extension JSONWriter {
  /// A saved subscription, with its definition as it was sent.
  mutating func savedSubscription(_ saved: SavedSubscription, isAttached: Bool) {
    beginObject()
    key("subscriptionID")
    string(saved.id)
    for member in SavedDefinition(saved).json.members {
      key(member.key)
      raw(member.value)
    }
    key("changeToken")
    string(saved.position)
    key("isAttached")
    bool(isAttached)
    endObject()
  }
}
