import JSONRPC

/// A page of a query's result.
struct ResultPage {
  let records: [JSON]
  let sections: [ResultSection]
  /// The place of the page's first record in the whole result.
  let offset: Int
  /// There are records after this page.
  let isContinued: Bool
  /// The records that the page's references lead to.
  let included: IncludedRecords
  let plan: JSON?
}

/// A query, page after page.
@MainActor
struct ResultPages {
  private let query: RecordQuery
  private let session: Session
  /// How many records are still wanted; nil: all.
  private var wanted: Int?
  private var cursor: String?
  private var offset: Int?
  private var isAtEnd = false
  /// The largest page the service's defaults allow; it makes them shorter where it likes.
  static let pageSize = 1000

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
    if let cursor {
      params.append(("cursor", .string(cursor)))
    } else if let title = query.fromIndexTitle {
      params.append(("fromIndexTitle", .string(title)))
    }
    let reply = try await session.call("performQuery", params)
    let records = reply["records"].map { Array($0.elements) } ?? []
    let sections = (reply["sections"]?.elements).map { $0.map(ResultSection.init) } ?? []
    cursor = reply["cursor"]?.stringValue
    isAtEnd = cursor == nil
    wanted = wanted.map { max(0, $0 - records.count) }
    let start =
      offset ?? query.fromIndexTitle.flatMap { title in
        sections.first { $0.indexTitle == title }?.offset
      } ?? 0
    offset = start + records.count
    return ResultPage(
      records: records, sections: sections, offset: start, isContinued: cursor != nil,
      included: IncludedRecords(reply["included"], paths: query.include), plan: reply["plan"])
  }
}
