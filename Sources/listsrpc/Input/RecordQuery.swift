import ArgumentParsing
import JSONRPC

/// What `query`, `export` and `watch` select records by.
struct RecordQuery {
  var recordType: String
  var predicate: String?
  var arguments: [JSONNode] = []
  var sortKeys: [SortKey] = []
  var desiredKeys: [String]?
  var zoneName: String?
  var sectionNameKey: String?
  var sectionIndexTitle: String?

  /// The options that say which records are meant.
  static let filterOptions = [
    Option("where", letter: "w", takes: "PREDICATE", "Only records that match, such as 'quantity > 3'"),
    Option(
      "arg", takes: "TEXT", "The text for the next %@ or %K of the predicate; needs no quoting",
      isRepeatable: true),
    Option("arg-json", takes: "JSON", "The JSON value for the next %@ of the predicate", isRepeatable: true),
    Option("zone", letter: "z", takes: "NAME", "Only records of this zone"),
    Option("fields", letter: "f", takes: "LIST", "Only these fields, with commas between them"),
  ]

  static let sortOption = Option(
    "sort", letter: "s", takes: "KEYS",
    "Sort by these keys: 'name', '-name' for descending, 'name:localized' as a person expects, "
      + "':nullsFirst' and ':nullsLast'", isRepeatable: true)

  init(_ arguments: Arguments, recordType: String) throws(UsageError) {
    self.recordType = recordType
    predicate = arguments.value("where")
    for (name, value) in arguments.values(of: ["arg", "arg-json"]) {
      guard name == "arg-json" else {
        self.arguments.append(.string(value))
        continue
      }
      do throws(JSONSyntaxError) {
        self.arguments.append(.json(try JSON(parsing: value)))
      } catch {
        throw UsageError("--arg-json takes JSON, not '\(value)' (\(error.message))")
      }
    }
    sortKeys = try SortKey.all(in: arguments.values("sort"))
    desiredKeys = arguments.value("fields").map(Self.list)
    zoneName = arguments.value("zone")
  }

  /// The words between commas, without the spaces around them.
  static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { part in
      String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The parameters that `performQuery`, `countRecords` and `subscribe` share.
  var filterParameters: [(String, JSONNode)] {
    var members: [(String, JSONNode)] = [("recordType", .string(recordType))]
    if let predicate { members.append(("predicate", .string(predicate))) }
    if !arguments.isEmpty { members.append(("arguments", .array(arguments))) }
    if let zoneName { members.append(("zoneName", .string(zoneName))) }
    return members
  }

  var parameters: [(String, JSONNode)] {
    var members = filterParameters
    if !sortKeys.isEmpty { members.append(("sortDescriptors", .array(sortKeys.map(\.node)))) }
    if let desiredKeys { members.append(("desiredKeys", .array(desiredKeys.map { .string($0) }))) }
    if let sectionNameKey { members.append(("sectionNameKey", .string(sectionNameKey))) }
    if let sectionIndexTitle { members.append(("sectionIndexTitle", .string(sectionIndexTitle))) }
    return members
  }
}

/// A page of a query's result.
struct ResultPage {
  let records: [JSON]
  let sections: [ResultSection]
  /// The place of the page's first record in the whole result.
  let offset: Int
  /// There are records after this page.
  let isContinued: Bool
}

/// A query, page after page.
@MainActor
struct ResultPages {
  private let query: RecordQuery
  private let session: Session
  /// How many records are still wanted; nil: all.
  private var wanted: Int?
  private var cursor: String?
  private var offset = 0
  private var isAtEnd = false
  /// The largest page the service's defaults allow; it makes them shorter where it likes.
  private static let pageSize = 1000

  init(_ query: RecordQuery, limit: Int?, session: Session) {
    self.query = query
    self.session = session
    wanted = limit
  }

  /// The next page; nil after the last.
  mutating func next() async throws(Failure) -> ResultPage? {
    guard !isAtEnd, wanted != 0 else { return nil }
    var params = query.parameters
    params.append(("resultsLimit", .int(Int64(min(wanted ?? Self.pageSize, Self.pageSize)))))
    if let cursor { params.append(("cursor", .string(cursor))) }
    let reply = try await session.call("performQuery", params)
    let records = reply["records"].map { Array($0.elements) } ?? []
    cursor = reply["cursor"]?.stringValue
    isAtEnd = cursor == nil
    wanted = wanted.map { max(0, $0 - records.count) }
    defer { offset += records.count }
    return ResultPage(
      records: records,
      sections: (reply["sections"]?.elements).map { $0.map(ResultSection.init) } ?? [],
      offset: offset, isContinued: cursor != nil)
  }
}
