internal import JSONRPC
internal import RecordStore
internal import Records

/// The parameters that say which records: the same for all methods that ask for records by a condition, and
/// for subscriptions.
struct QueryArguments {
  /// Nil only where the method allows it.
  let recordType: String?
  let zoneName: String?
  /// Nil for every record.
  let predicate: Predicate?
  /// What `now()` is in the predicate, in milliseconds since 1970.
  let moment: Int64

  /// - Parameter cursor: Of the page before, which says what `now()` was on the first.
  init(_ invocation: Invocation, cursor: String? = nil) throws(RecordError) {
    let arguments = invocation.arguments
    recordType = try arguments.string("recordType")
    zoneName = try arguments.string("zoneName")
    moment = cursor.flatMap { QueryCursor.moment(in: $0) } ?? invocation.service.clock()
    let text = try arguments.string("predicate")
    let values = try arguments.list("arguments")
    let variables = try arguments.object("variables")
    if let filters = try arguments.list("filterBy") {
      if text != nil { throw .parameter("filterBy", mustBe: "left out with a predicate") }
      if values?.isEmpty == false { throw .parameter("arguments", mustBe: "left out without a predicate") }
      try invocation.checkPredicate(filters.reduce(0) { $0 + $1.bytes.count })
      predicate = try Predicate(filterBy: filters)
      return
    }
    guard let text else {
      if values?.isEmpty == false { throw .parameter("arguments", mustBe: "left out without a predicate") }
      predicate = nil
      return
    }
    try invocation.checkPredicate(text.utf8.count)
    predicate = try Predicate(parsing: text, arguments: values ?? [], variables: variables, now: moment)
  }

  /// All the records that the parameters name.
  var query: Query {
    Query(
      recordType: recordType, zoneName: zoneName, predicate: predicate ?? .everything, moment: moment)
  }
}

extension Invocation {
  fileprivate func checkPredicate(_ bytes: Int) throws(RecordError) {
    let limit = limits.maximumPredicateBytes
    guard bytes <= limit else {
      throw .limit(
        "maximumPredicateBytes", limit, actual: bytes, "a predicate may have \(limit) bytes at most")
    }
  }
}

extension Arguments {
  /// A list of key paths, with the texts that they were sent as; empty when omitted.
  func keyPaths(
    _ name: String, atMost limit: Int
  ) throws(RecordError) -> [(text: String, path: FieldPath)] {
    let texts = try strings(name) ?? []
    guard texts.count <= limit else {
      throw .limit("maximumKeys", limit, actual: texts.count, "\(name) may have \(limit) keys at most")
    }
    var paths: [(text: String, path: FieldPath)] = []
    for text in texts {
      guard let path = try FieldPath(key: text) else { throw .parameter(name, mustBe: "a list of key paths") }
      paths.append((text, path))
    }
    return paths
  }
}

extension Arguments {
  /// What `sortDescriptors` or, in CloudKit's spelling, `sortBy` says; empty when omitted.
  func sortDescriptors(atMost limit: Int) throws(RecordError) -> [SortDescriptor] {
    let elements = try list("sortDescriptors")
    let cloudKit = try list("sortBy")
    if elements != nil, cloudKit != nil {
      throw .parameter("sortBy", mustBe: "left out with sortDescriptors")
    }
    let count = elements?.count ?? cloudKit?.count ?? 0
    guard count <= limit else {
      throw .limit(
        "maximumSortDescriptors", limit, actual: count,
        "a query may have \(limit) sort descriptors at most")
    }
    if let cloudKit { return try SortDescriptor.list(sortBy: cloudKit) }
    return try SortDescriptor.list(elements ?? [], named: "sortDescriptors")
  }

  /// What `sectionNameKey` and `sectionIndexTitle` say; nil when omitted.
  func sections() throws(RecordError) -> SectionRequest? {
    let indexTitle = try word("sectionIndexTitle", of: SectionIndexTitle.self)
    guard let nameKey = try string("sectionNameKey") else {
      if indexTitle != nil {
        throw .parameter("sectionIndexTitle", mustBe: "left out without a sectionNameKey")
      }
      return nil
    }
    return SectionRequest(nameKey: nameKey, indexTitle: indexTitle ?? .firstLetter)
  }
}

extension JSONWriter {
  /// The member that tells how records were found.
  mutating func plan(_ plan: QueryPlan) {
    key("plan")
    beginObject()
    key("access")
    string(plan.access.rawValue)
    key("index")
    if let index = plan.index { strings(index) } else { null() }
    key("ordered")
    bool(plan.ordered)
    key("rowsExamined")
    int(plan.rowsExamined)
    key("rowsReturned")
    int(plan.rowsReturned)
    key("reason")
    string(plan.reason)
    key("unknownKeys")
    strings(plan.unknownKeys)
    endObject()
  }
}
