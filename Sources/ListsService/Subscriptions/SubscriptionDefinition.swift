internal import JSONRPC
internal import RecordStore
internal import Records

/// What a client asked to be told of: the parameters of `subscribe`, read and checked.
struct SubscriptionDefinition {
  /// What the pushes are about.
  enum Content {
    /// Each change that concerns the filter.
    case changes
    /// A sorted result, whose rows are told by their places.
    case window(WindowRequest)
    /// How many records match.
    case count
  }

  /// Nil for records of every type.
  let recordType: String?
  /// Nil for every zone.
  let zoneName: String?
  /// Nil for every record.
  let predicate: Predicate?
  /// What `now()` is in the predicate, in milliseconds since 1970.
  let moment: Int64
  let reasons: Set<ChangeReason>
  let desiredKeys: [String]?
  /// Key paths to references: the records that they name come along.
  let include: [FieldPath]
  /// What an `updated` must have changed; nil for anything.
  let watchKeys: [FieldPath]?
  /// Whether it ends after the first push of a change.
  let firesOnce: Bool
  /// Whether the connection's own changes are left out.
  let suppressesOwn: Bool
  /// Whether changes tell what was there before.
  let includesPrevious: Bool
  let content: Content
  let sendsInitial: Bool
  /// A change token's text.
  let since: String?

  /// Throws what is wrong with the parameters: `invalidArguments` or `limitExceeded`.
  init(_ invocation: Invocation) throws(RecordError) {
    let arguments = invocation.arguments
    let limits = invocation.limits
    content = try invocation.content()
    let selection = try QueryArguments(invocation)
    let comparisons = selection.predicate?.numberOfComparisons ?? 0
    guard comparisons <= limits.maximumFilterComparisons else {
      throw .limit(
        "maximumFilterComparisons", limits.maximumFilterComparisons, actual: comparisons,
        "a live filter may have \(limits.maximumFilterComparisons) comparisons at most")
    }
    recordType = selection.recordType
    moment = selection.moment
    if let recordName = try arguments.string("recordName") {
      if selection.predicate != nil {
        throw .parameter("recordName", mustBe: "left out with a predicate or filterBy")
      }
      predicate = try Predicate(recordName: recordName)
      zoneName = selection.zoneName ?? Identifier.defaultZone
    } else {
      predicate = selection.predicate
      zoneName = selection.zoneName
    }
    reasons = try arguments.reasons()
    desiredKeys = try arguments.strings("desiredKeys")
    include = try arguments.keyPaths("include", atMost: limits.maximumKeys).map(\.path)
    watchKeys =
      arguments["watchKeys"] == nil
      ? nil : try arguments.keyPaths("watchKeys", atMost: limits.maximumKeys).map(\.path)
    if watchKeys?.isEmpty == true { throw .parameter("watchKeys", mustBe: "left out or name a key") }
    firesOnce = try arguments.bool("firesOnce", default: false)
    suppressesOwn = try arguments.bool("suppressOwn", default: false)
    includesPrevious = try arguments.bool("includePrevious", default: false)
    sendsInitial = try arguments.bool("sendInitial", default: false)
    since = try arguments.string("since")
    if since != nil, sendsInitial { throw .parameter("sendInitial", mustBe: "left out with since") }
  }
}

/// What a client wants to hold of a sorted result.
struct WindowRequest {
  let sortDescriptors: [SortDescriptor]
  /// Nil for no sections.
  let sections: SectionRequest?
  /// Rows at most.
  let resultsLimit: Int
}

extension Predicate {
  /// The record of that name.
  fileprivate init(recordName: String) throws(RecordError) {
    var name = JSONWriter()
    name.string(recordName)
    try self.init(parsing: "recordName == %@", arguments: [JSON(unchecked: name.bytes)])
  }
}

extension Invocation {
  fileprivate func content() throws(RecordError) -> SubscriptionDefinition.Content {
    let isWindow = Self.ofWindows.contains { arguments[$0] != nil }
    if try arguments.bool("countOnly", default: false) {
      for name in Self.ofWindows + Self.ofContents {
        try refuse(name, beside: "countOnly")
      }
      return .count
    }
    guard isWindow else { return .changes }
    for name in Self.ofChanges { try refuse(name, beside: "an order, sections or a resultsLimit") }
    let limit = limits.maximumWindowRecords
    let request = WindowRequest(
      sortDescriptors: try arguments.sortDescriptors(atMost: limits.maximumSortDescriptors),
      sections: try arguments.sections(),
      resultsLimit: try arguments.integer("resultsLimit", in: 1...limit) ?? limit)
    if let sections = request.sections {
      guard let path = try FieldPath(key: sections.nameKey) else {
        throw .parameter("sectionNameKey", mustBe: "a key path")
      }
      guard let first = request.sortDescriptors.first, first.path == path, first.relativeLocation == nil
      else { throw .parameter("sectionNameKey", mustBe: "the key of the first sort descriptor") }
    }
    return .window(request)
  }

  private static let ofWindows = [
    "sortDescriptors", "sortBy", "sectionNameKey", "sectionIndexTitle", "resultsLimit",
  ]
  /// What has no meaning where a result is kept in place of telling changes.
  private static let ofChanges = ["since", "firesOn", "firesOnce", "watchKeys", "suppressOwn"]
  /// What has none either where nothing of the records is told.
  private static let ofContents = ofChanges + ["desiredKeys", "include", "includePrevious"]

  /// Those of them that are true or false. False asks for nothing, and is let pass.
  private static let switches: Set<String> = ["firesOnce", "suppressOwn", "includePrevious"]

  private func refuse(_ name: String, beside other: String) throws(RecordError) {
    guard let value = arguments[name] else { return }
    if value.boolValue == false, Self.switches.contains(name) { return }
    throw .parameter(name, mustBe: "left out with \(other)")
  }
}

extension Arguments {
  fileprivate func reasons() throws(RecordError) -> Set<ChangeReason> {
    guard let names = try strings("firesOn") else { return Set(ChangeReason.allCases) }
    var reasons: Set<ChangeReason> = []
    for name in names {
      guard let reason = ChangeReason(rawValue: name) else {
        let known = ChangeReason.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw .parameter("firesOn", mustBe: "a list of \(known)")
      }
      reasons.insert(reason)
    }
    if reasons.isEmpty { throw .parameter("firesOn", mustBe: "left out or name a reason") }
    return reasons
  }
}
