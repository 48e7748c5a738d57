public import Records

/// Where a record stands in a query's result. Places of one result alone can be compared.
public struct ResultPlace: Sendable {
  let position: QueryPosition
  /// The value under the section key as text; nil where no sections are asked for.
  public let sectionName: String?

  /// What no other record of the store has.
  public var identity: [UInt8] { position.tie }
  public var recordName: String { part(0) }
  public var zoneName: String { part(1) }

  /// The ``identity`` of the record of that name.
  public static func identity(recordName: String, zoneName: String) -> [UInt8] {
    IndexKey.tie(recordName: recordName, zoneName: zoneName)
  }

  public func isBefore(_ other: ResultPlace) -> Bool { position < other.position }

  /// Whether it is the same record's, in the same place and the same section.
  public func isSame(as other: ResultPlace) -> Bool {
    guard position == other.position else { return false }
    guard let sectionName, let name = other.sectionName else {
      return (sectionName == nil) == (other.sectionName == nil)
    }
    return sectionName.hasSameUTF8(as: name)
  }

  private func part(_ index: Int) -> String {
    let parts = position.tie.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    return String(decoding: parts[index], as: UTF8.self)
  }
}

/// The order of a query's result, for one who keeps a result up himself: that of the query's pages.
public struct ResultOrder: Sendable {
  private let order: QueryOrder
  private let layout: SectionLayout?

  /// The query's sections must be in its sort order: by the key that is sorted by first. Throws
  /// `invalidArguments` when they are not.
  public init(_ query: Query) throws(RecordError) {
    let order = QueryOrder(query, constant: QueryConditions.constantPaths(of: query.predicate))
    layout = try query.sections.map { request throws(RecordError) in
      try SectionLayout(request, of: query, sortedBy: order.descriptors)
    }
    if layout?.isSortOrder == false {
      throw RecordError(.invalidArguments, "the sections are not in the sort order")
    }
    self.order = order
  }

  /// Where the record stands, looking through references into what `resolver` finds. Throws
  /// `serviceUnavailable` when localized order can't be had.
  public func place(
    of record: StoredRecord, _ resolver: (any RecordResolver)?
  ) throws(RecordError) -> ResultPlace {
    ResultPlace(
      position: try order.position(of: record, resolver),
      sectionName: layout.map { SectionLayout.name(of: record.value(at: $0.path, resolver: resolver)) })
  }

  /// Empty when there is none.
  public func indexTitle(ofSection name: String) -> String { layout?.title(of: name) ?? "" }
}
