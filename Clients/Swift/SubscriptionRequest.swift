public import JSONRPC
public import Records

/// What a subscription is to: the parameters of `subscribe` and `saveSubscription`.
///
/// With a sort order, sections or a limit it is a window: the rows of a query's result, kept up by the places
/// from which and to which they move (see ``LiveList``).
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
  /// nil: every zone; with a record's name the default zone.
  public var zoneName: String?
  /// Only this record.
  public var recordName: String?
  /// The reasons to be told of; empty: all.
  public var firesOn: [String] = []
  /// End after the first push that tells of a change.
  public var firesOnce = false
  /// Key paths of which one must have changed for an update to be told; empty: any.
  public var watchKeys: [String] = []
  /// What the same connection writes is not told.
  public var suppressesOwn = false
  /// The fields that pushed records carry; nil: all.
  public var desiredKeys: [String]?
  /// Key paths to references, whose records are to come along.
  public var include: [String] = []
  /// Changes carry the values from before.
  public var includesPrevious = false
  /// A change token: begin with what was missed since.
  public var since: String?
  /// Begin with the records that match now; together with `since` only once that is no longer kept.
  public var sendsInitial = false
  /// The order of a window.
  public var sortDescriptors: [SortDescriptor] = []
  /// The key whose values make the sections of a window.
  public var sectionNameKey: String?
  public var sectionIndexTitle: SectionIndexTitle?
  /// The most rows of a window.
  public var resultsLimit: Int?
  /// Be told only how many records match.
  public var countsOnly = false
  /// Attach to a saved subscription: of the other members only container and database count.
  public var subscriptionID: String?
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

  /// Attaches to the saved subscription of that name.
  public init(subscriptionID: String) {
    self.subscriptionID = subscriptionID
  }

  /// Makes it a window, sorted by a key behind those that it is sorted by already.
  ///
  /// - Throws: `RecordError` when it is no key path.
  public mutating func sort(
    by key: String, ascending: Bool = true, collation: SortDescriptor.Collation = .codePoint
  ) throws(RecordError) {
    sortDescriptors.append(try SortDescriptor(key: key, ascending: ascending, collation: collation))
  }

  /// It is to the rows of a result.
  public var isWindow: Bool {
    !sortDescriptors.isEmpty || sectionNameKey != nil || resultsLimit != nil
  }

  /// Subscribing since a token goes on where it was; the others begin anew, or where the service keeps it.
  var goesOnFromTokens: Bool { !isWindow && !countsOnly && subscriptionID == nil }

  /// The parameters, going on after `token` if there is one.
  func params(since token: String?, initial: Bool) -> JSON {
    var members: [(String, JSONNode)] = []
    if let subscriptionID {
      members.append(("subscriptionID", .string(subscriptionID)))
    } else {
      members += definition
      if let token { members.append(("since", .string(token))) }
      if initial { members.append(("sendInitial", true)) }
      if suppressesOwn { members.append(("suppressOwn", true)) }
      members += window
    }
    return JSONNode.object(members + place).json
  }

  /// The parameters that say what is told of, without where to begin.
  var definition: [(String, JSONNode)] {
    var members: [(String, JSONNode)] = []
    if let recordType { members.append(("recordType", .string(recordType))) }
    if let predicate { members.append(("predicate", .string(predicate))) }
    if !arguments.isEmpty { members.append(("arguments", .array(arguments))) }
    if !variables.isEmpty { members.append(("variables", .object(variables))) }
    if let filterBy { members.append(("filterBy", filterBy)) }
    if let zoneName { members.append(("zoneName", .string(zoneName))) }
    if let recordName { members.append(("recordName", .string(recordName))) }
    if !firesOn.isEmpty { members.append(("firesOn", .array(firesOn.map { .string($0) }))) }
    if firesOnce { members.append(("firesOnce", true)) }
    if !watchKeys.isEmpty { members.append(("watchKeys", .array(watchKeys.map { .string($0) }))) }
    if let desiredKeys { members.append(("desiredKeys", .array(desiredKeys.map { .string($0) }))) }
    if !include.isEmpty { members.append(("include", .array(include.map { .string($0) }))) }
    if includesPrevious { members.append(("includePrevious", true)) }
    return members
  }

  private var window: [(String, JSONNode)] {
    var members: [(String, JSONNode)] = []
    if !sortDescriptors.isEmpty {
      members.append(("sortDescriptors", .array(sortDescriptors.map { .json($0.json) })))
    }
    if let sectionNameKey { members.append(("sectionNameKey", .string(sectionNameKey))) }
    if let sectionIndexTitle { members.append(("sectionIndexTitle", .string(sectionIndexTitle.rawValue))) }
    if let resultsLimit { members.append(("resultsLimit", .int(Int64(resultsLimit)))) }
    if countsOnly { members.append(("countOnly", true)) }
    return members
  }

  /// The parameters that say which database is meant.
  var place: [(String, JSONNode)] {
    [("container", container), ("database", database)].compactMap { name, value in
      value.map { (name, .string($0)) }
    }
  }
}
