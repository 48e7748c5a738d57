import ArgumentParsing
import JSONRPC
import ListsClient
import Records

/// What a subscription's options ask for, of `watch` and of `subscriptions save`.
@MainActor
struct LiveQuery {
  private(set) var request: SubscriptionRequest
  /// The key paths whose records come along.
  let includedPaths: [String]

  /// Those that say what is told of, and in which form; for saved subscriptions too.
  static let options =
    RecordQuery.filterOptions + [
      Option("record", letter: "r", takes: "NAME", "Only this record"),
      RecordQuery.fieldsOption, RecordQuery.includeOption,
      Option("previous", letter: "p", "With the values from before"),
      Option("fires-on", takes: "LIST", "Only these reasons, with commas between them"),
      Option(
        "watch-keys", takes: "KEYS", "Of updates only those in which one of these keys changed"),
      Option("once", "End after the first commit that has a change"),
      Option("initial", letter: "i", "Begin with the records that match now"),
      Option("since", takes: "TOKEN", "Begin with what happened since this change token"),
    ]

  /// Those of a live result, and the counting.
  static let windowOptions = [
    RecordQuery.sortOption, RecordQuery.sectionOption,
    Option(
      "index-title", takes: "STYLE", completion: RecordQuery.indexTitleStyles,
      "With --section-by: the style of the sections' index titles"),
    Option("limit", letter: "n", takes: "NUMBER", "Only so many rows of the result"),
    Option("count-only", "Only how many records match: a number now, and another whenever it changes"),
  ]

  /// Reads the options of a verb.
  ///
  /// - Throws: `Failure.usage` for what can't be read, or does not go together.
  init(_ arguments: Arguments, recordType: String?, verb: String) throws(Failure) {
    do throws(UsageError) {
      try Self.checkCombinations(arguments)
      let query = try RecordQuery(arguments, recordType: recordType ?? "")
      request = SubscriptionRequest(recordType: recordType, predicate: query.predicate)
      var listing = query
      listing.include = arguments.value("include").map(RecordQuery.list) ?? []
      includedPaths = listing.includedPaths
      read(query, arguments)
      try readWindow(query, arguments)
    } catch {
      throw .usage(error, verb: verb)
    }
  }

  private mutating func read(_ query: RecordQuery, _ arguments: Arguments) {
    request.arguments = query.arguments
    request.variables = query.variables
    request.filterBy = query.filterBy
    request.zoneName = query.zoneName
    request.recordName = arguments.value("record")
    request.desiredKeys = query.desiredKeys
    request.include = includedPaths
    request.includesPrevious = arguments.has("previous")
    request.firesOn = arguments.value("fires-on").map(RecordQuery.list) ?? []
    request.watchKeys = arguments.value("watch-keys").map(RecordQuery.list) ?? []
    request.firesOnce = arguments.has("once")
    request.since = arguments.value("since")
    request.sendsInitial = arguments.has("initial")
    request.container = arguments.value("container")
    request.database = arguments.value("database")
  }

  private mutating func readWindow(_ query: RecordQuery, _ arguments: Arguments) throws(UsageError) {
    var keys = query.sortKeys
    if let section = arguments.value("section-by") {
      request.sectionNameKey = section
      request.sectionIndexTitle = arguments.value("index-title").flatMap(SectionIndexTitle.init(rawValue:))
      if keys.isEmpty { keys = [try SortKey(parsing: section)] }
    } else if arguments.has("index-title") {
      throw UsageError("--index-title needs --section-by")
    }
    for key in keys {
      do throws(RecordError) {
        request.sortDescriptors.append(try SortDescriptor(json: key.node.json))
      } catch {
        throw UsageError(error.message)
      }
    }
    request.resultsLimit = try arguments.integer("limit", in: 1...Int.max)
    request.countsOnly = arguments.has("count-only")
  }

  private static let window = ["sort", "section-by", "limit"]
  /// What makes no sense together, for a person before the service is asked.
  private static let exclusions: [(options: [String], others: [String])] = [
    (["since"], ["initial", "state"]),
    (["record"], ["where", "filter-by"]),
    (window + ["count-only"], ["since", "state", "fires-on", "once", "watch-keys"]),
    (["count-only"], window + ["fields", "include", "previous"]),
    (
      ["subscription"],
      window + [
        "count-only", "since", "state", "initial", "fires-on", "once", "watch-keys", "fields", "include",
      ]
        + ["previous", "record", "where", "filter-by", "arg", "arg-json", "var", "zone"]
    ),
  ]

  private static func checkCombinations(_ arguments: Arguments) throws(UsageError) {
    for (options, others) in exclusions {
      guard let option = options.first(where: arguments.has), let other = others.first(where: arguments.has)
      else { continue }
      throw UsageError("--\(option) and --\(other) exclude each other")
    }
  }

  /// What the changes are of, for a file that says how far one came with them: what only changes their form, and
  /// where to begin, is left out.
  var watched: JSONNode {
    var members: [(String, JSONNode)] = []
    let texts = [
      ("recordType", request.recordType), ("predicate", request.predicate), ("zoneName", request.zoneName),
      ("recordName", request.recordName), ("container", request.container ?? "default"),
      ("database", request.database ?? "private"),
    ]
    for (name, text) in texts { if let text { members.append((name, .string(text))) } }
    if !request.arguments.isEmpty { members.append(("arguments", .array(request.arguments))) }
    if !request.variables.isEmpty { members.append(("variables", .object(request.variables))) }
    if let filterBy = request.filterBy { members.append(("filterBy", filterBy)) }
    let lists = [
      ("firesOn", request.firesOn), ("watchKeys", request.watchKeys), ("include", request.include),
    ]
    for (name, list) in lists where !list.isEmpty {
      members.append((name, .array(list.sorted().map { .string($0) })))
    }
    return .object(members)
  }
}
