public import JSONRPC

/// What a subscription is to: the parameters of `subscribe`.
public struct SubscriptionRequest: Sendable {
  /// nil: every type.
  public var recordType: String?
  /// A predicate's text; nil: every record.
  public var predicate: String?
  /// The values of the predicate's `%@` and other places.
  public var arguments: [JSONNode] = []
  /// The values of the predicate's `$names`.
  public var variables: [(String, JSONNode)] = []
  /// CloudKit's filters, in place of a predicate.
  public var filterBy: JSONNode?
  /// nil: the default zone with a record type, else every zone.
  public var zoneName: String?
  /// The reasons to be told of; empty: all.
  public var firesOn: [String] = []
  /// The fields that pushed records carry; nil: all.
  public var desiredKeys: [String]?
  /// A change token: begin with what was missed since.
  public var since: String?
  /// Begin with the records that match now.
  public var sendsInitial = false
  public var container: String?
  public var database: String?
  /// The most pushes, and bytes of pushes, that wait to be taken from the stream. What comes beyond is
  /// not kept: the stream reads it again, from the service's log of changes, once it has caught up.
  public var maximumBufferedPushes = 1000
  public var maximumBufferedBytes = 16 << 20

  public init(recordType: String? = nil, predicate: String? = nil) {
    self.recordType = recordType
    self.predicate = predicate
  }

  /// The parameters, going on after `token` if there is one.
  func params(since token: String?, initial: Bool) -> JSON {
    var members: [(String, JSONNode)] = []
    if let recordType { members.append(("recordType", .string(recordType))) }
    if let predicate { members.append(("predicate", .string(predicate))) }
    if !arguments.isEmpty { members.append(("arguments", .array(arguments))) }
    if !variables.isEmpty { members.append(("variables", .object(variables))) }
    if let filterBy { members.append(("filterBy", filterBy)) }
    if let zoneName { members.append(("zoneName", .string(zoneName))) }
    if !firesOn.isEmpty { members.append(("firesOn", .array(firesOn.map { .string($0) }))) }
    if let desiredKeys { members.append(("desiredKeys", .array(desiredKeys.map { .string($0) }))) }
    if let token { members.append(("since", .string(token))) }
    if initial { members.append(("sendInitial", .bool(true))) }
    if let container { members.append(("container", .string(container))) }
    if let database { members.append(("database", .string(database))) }
    return JSONNode.object(members).json
  }
}
