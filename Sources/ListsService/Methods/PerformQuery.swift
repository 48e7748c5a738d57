internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let performQuery = Method(
    "performQuery", .read,
    [
      .required("recordType"), .optional("predicate"), .optional("arguments"), .optional("variables"),
      .optional("sortDescriptors"), .optional("desiredKeys"), .optional("resultsLimit"),
      .optional("cursor"), .optional("zoneName"), .optional("sectionNameKey"),
      .optional("sectionIndexTitle"), .optional("filterBy"), .optional("sortBy"), .optional("include"),
      .optional("fromIndexTitle"), .optional("explain"),
    ],
    errors: .read.union([.unknownItem])
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let database = try invocation.database(for: .read)
    let query = try invocation.query()
    let page = PageWriter(
      desiredKeys: try arguments.strings("desiredKeys").map(DesiredKeys.init),
      includes: arguments["include"] != nil, explains: query.explains)
    if let found = try database.query(query) {
      page.write(found, to: &result)
      try invocation.checkReply(result)
      return .done
    }
    return .read(database, .query(query)) { [invocation] read, result throws(RecordError) in
      guard case .query(let found) = read else { throw .unexpectedItem }
      page.write(found, to: &result)
      try invocation.checkReply(result)
    }
  }
}

extension Invocation {
  fileprivate func query() throws(RecordError) -> Query {
    let cursor = try arguments.string("cursor")
    var query = try QueryArguments(self, cursor: cursor).query
    query.sortDescriptors = try arguments.sortDescriptors(atMost: limits.maximumSortDescriptors)
    query.resultsLimit =
      try arguments.integer("resultsLimit", in: 1...limits.maximumResults) ?? limits.defaultResults
    query.maximumBytes = limits.maximumReplyBytes / 2
    query.cursor = cursor
    query.sections = try arguments.sections()
    query.maximumSections = limits.maximumSections
    query.fromIndexTitle = try arguments.string("fromIndexTitle")
    if query.fromIndexTitle != nil, query.sections == nil {
      throw .parameter("fromIndexTitle", mustBe: "left out without a sectionNameKey")
    }
    query.include = try arguments.keyPaths("include", atMost: limits.maximumKeys).map(\.path)
    query.maximumIncluded = limits.maximumItems
    query.explains = try arguments.bool("explain", default: false)
    return query
  }
}

/// Writes a page as the reply's result.
private struct PageWriter {
  let desiredKeys: DesiredKeys?
  let includes: Bool
  let explains: Bool

  func write(_ page: QueryResult, to result: inout JSONWriter) {
    result.beginObject()
    result.key("records")
    result.beginArray()
    for record in page.records { record.write(desiredKeys: desiredKeys, to: &result) }
    result.endArray()
    if let cursor = page.cursor {
      result.key("cursor")
      result.string(cursor)
    }
    result.key("changeToken")
    result.string(page.changeToken.text)
    if let sections = page.sections { write(sections, to: &result) }
    if includes { write(page.included, to: &result) }
    if explains { result.plan(page.plan) }
    result.endObject()
  }

  private func write(_ sections: [Section], to result: inout JSONWriter) {
    result.key("sections")
    result.beginArray()
    for section in sections {
      result.beginObject()
      result.key("name")
      result.string(section.name)
      result.key("indexTitle")
      result.string(section.indexTitle ?? "")
      result.key("numberOfRecords")
      result.int(section.numberOfRecords)
      result.key("offset")
      result.int(section.offset)
      result.endObject()
    }
    result.endArray()
    result.key("sectionIndexTitles")
    // Sections that share a letter need not follow each other: sorting by code point parts "b" from "B".
    result.strings(sections.compactMap(\.indexTitle).withoutRepetition())
  }

  private func write(_ included: [IncludedRecord], to result: inout JSONWriter) {
    var list = IncludedRecords()
    for item in included { list.append(item) }
    result.key("included")
    result.raw(list.list())
  }
}
