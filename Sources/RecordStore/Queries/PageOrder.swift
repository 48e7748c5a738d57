internal import Records

/// The order in which a page's records come, and where the page starts in it.
enum PageOrder {
  /// The sort order, behind a position if there is one.
  case sorted(after: QueryPosition?)
  /// By section, then the sort order.
  case sectioned(SectionedPage, SectionLayout)

  /// Throws `invalidArguments` for a cursor of another query, `unknownItem` for an index title that no section
  /// has.
  init(
    _ query: Query, after cursor: QueryCursor?, _ layout: SectionLayout?, _ sections: SectionList?
  ) throws(RecordError) {
    guard let layout, let sections else {
      guard cursor?.marks.isEmpty ?? true else { throw .cursorOfAnotherQuery }
      self = .sorted(after: cursor?.position)
      return
    }
    var first: Int?
    if cursor == nil, let title = query.fromIndexTitle {
      first = try sections.index(ofTitle: title, layout)
    }
    if layout.isSortOrder {
      guard cursor?.marks.isEmpty ?? true else { throw .cursorOfAnotherQuery }
      // No name is before it.
      let start = first.map { QueryPosition(key: sections.entries[$0].first.key, tie: []) }
      self = .sorted(after: cursor?.position ?? start)
    } else if let cursor {
      self = .sectioned(try SectionedPage(sections, after: cursor), layout)
    } else {
      self = .sectioned(SectionedPage(sections, from: first ?? 0), layout)
    }
  }

  /// The cursor of a page that ends with the record.
  func cursor(after last: StoredRecord, _ matches: MatchScan) throws(RecordError) -> QueryCursor {
    switch self {
    case .sorted:
      return QueryCursor(try matches.position(of: last), moment: matches.query.moment)
    case .sectioned(let page, let layout):
      guard let position = try page.position(of: last, layout, matches) else {
        throw RecordError(.internalError, "a record of the page is not in its order")
      }
      return page.cursor(after: position, moment: matches.query.moment)
    }
  }
}
