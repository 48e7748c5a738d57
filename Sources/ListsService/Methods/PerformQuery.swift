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
      .optional("sectionIndexTitle"),
    ],
    errors: .read
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let limits = invocation.limits
    let database = try invocation.database(for: .read)
    let selection = try QueryArguments(invocation)
    let desiredKeys = try arguments.strings("desiredKeys").map(DesiredKeys.init)
    let query = Query(
      recordType: selection.recordType, zoneName: selection.zoneName,
      predicate: selection.predicate ?? .everything,
      sortDescriptors: try arguments.sortDescriptors(atMost: limits.maximumSortDescriptors),
      resultsLimit: try arguments.integer("resultsLimit", in: 1...limits.maximumResults)
        ?? limits.defaultResults,
      maximumBytes: limits.maximumReplyBytes / 2, cursor: try arguments.string("cursor"),
      sections: try arguments.sections())
    if let page = try database.query(query) {
      result.page(page, desiredKeys: desiredKeys)
      try invocation.checkReply(result)
      return .done
    }
    return .read(database, .query(query)) { [invocation] read, result throws(RecordError) in
      guard case .query(let page) = read else { throw .unexpectedItem }
      result.page(page, desiredKeys: desiredKeys)
      try invocation.checkReply(result)
    }
  }
}

extension Arguments {
  fileprivate func sortDescriptors(atMost limit: Int) throws(RecordError) -> [SortDescriptor] {
    let elements = try list("sortDescriptors") ?? []
    guard elements.count <= limit else {
      throw .limit(
        "maximumSortDescriptors", limit, actual: elements.count,
        "a query may have \(limit) sort descriptors at most")
    }
    var descriptors: [SortDescriptor] = []
    for element in elements {
      descriptors.append(try SortDescriptor(json: element))
    }
    return descriptors
  }

  fileprivate func sections() throws(RecordError) -> SectionRequest? {
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
  fileprivate mutating func page(_ page: QueryResult, desiredKeys: DesiredKeys?) {
    beginObject()
    key("records")
    beginArray()
    for record in page.records { record.write(desiredKeys: desiredKeys, to: &self) }
    endArray()
    if let cursor = page.cursor {
      key("cursor")
      string(cursor)
    }
    key("changeToken")
    string(page.changeToken.text)
    if let sections = page.sections { write(sections) }
    endObject()
  }

  private mutating func write(_ sections: [Section]) {
    key("sections")
    beginArray()
    for section in sections {
      beginObject()
      key("name")
      string(section.name)
      key("indexTitle")
      string(section.indexTitle ?? "")
      key("numberOfRecords")
      int(section.numberOfRecords)
      key("offset")
      int(section.offset)
      endObject()
    }
    endArray()
    key("sectionIndexTitles")
    // Sections that share a letter need not follow each other: sorting by code point parts "b" from "B".
    var titles: [String] = []
    var seen: Set<String> = []
    for title in sections.lazy.compactMap(\.indexTitle) where seen.insert(title).inserted {
      titles.append(title)
    }
    strings(titles)
  }
}
