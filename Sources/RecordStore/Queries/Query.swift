public import Records

/// Which records to give, in which order.
public struct Query: Sendable {
  /// Nil for records of all types.
  public var recordType: String?
  /// Nil for all zones.
  public var zoneName: String?
  public var predicate: Predicate
  /// Ties are broken by recordName, then zoneName, ascending.
  public var sortDescriptors: [SortDescriptor]
  /// Records of the page at most; at least 1.
  public var resultsLimit: Int
  /// Bytes of the page's records at most, except that one record is always given.
  public var maximumBytes: Int
  /// Where a page before ended: ``QueryResult/cursor`` of the same query.
  public var cursor: String?
  public var sections: SectionRequest?
  /// What `now()` is in the predicate, in milliseconds since 1970; goes into the cursor.
  public var moment: Int64
  /// Key paths to references: the records that they name come along.
  public var include: [FieldPath]
  /// Records that a page brings along at most: it ends before there are more.
  public var maximumIncluded = 1000
  /// Bytes of a page of a single record, and of what it brings along, at most; twice `maximumBytes` when nil.
  public var maximumBytesOfOne: Int?
  /// Sections of a result at most, where its order begins with them; a thousand otherwise.
  public var maximumSections = 100_000
  /// Start the first page at the first section with this title.
  public var fromIndexTitle: String?
  /// Whether to tell where each record stands (``QueryResult/places``). What sections there are is not told then.
  public var givesPlaces = false
  /// Whether the plan is asked for, so that it is worth to find words for it.
  public var explains: Bool

  public init(
    recordType: String?, zoneName: String? = nil, predicate: Predicate,
    sortDescriptors: [SortDescriptor] = [], resultsLimit: Int = 100, maximumBytes: Int = 16 << 20,
    cursor: String? = nil, sections: SectionRequest? = nil, moment: Int64 = 0, include: [FieldPath] = [],
    fromIndexTitle: String? = nil, explains: Bool = false
  ) {
    self.recordType = recordType
    self.zoneName = zoneName
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.resultsLimit = resultsLimit
    self.maximumBytes = maximumBytes
    self.cursor = cursor
    self.sections = sections
    self.moment = moment
    self.include = include
    self.fromIndexTitle = fromIndexTitle
    self.explains = explains
  }
}

/// Sections of the whole result, whatever the page.
public struct SectionRequest: Sendable {
  /// The key whose value names the section of a record.
  public var nameKey: String
  /// Nil for no titles.
  public var indexTitle: SectionIndexTitle?

  public init(nameKey: String, indexTitle: SectionIndexTitle? = nil) {
    self.nameKey = nameKey
    self.indexTitle = indexTitle
  }
}

/// A page of a query's result.
public struct QueryResult: Sendable {
  public var records: [StoredRecord]
  /// Where the next page starts; nil when there is none.
  public var cursor: String?
  /// The position of the snapshot that was read.
  public var changeToken: ChangeToken
  /// In order of first appearance; nil when not asked for.
  public var sections: [Section]?
  /// What the page's records refer to under ``Query/include``, in the order in which it is named first.
  public var included: [IncludedRecord] = []
  /// Where the page's records stand, as ``ResultOrder`` has it; empty when not asked for.
  public var places: [ResultPlace] = []
  public var plan: QueryPlan
}

/// A record that others refer to.
public struct IncludedRecord: Sendable, Equatable {
  public var recordName: String
  public var zoneName: String
  /// Nil when there is no such record.
  public var record: StoredRecord?

  public init(recordName: String, zoneName: String, record: StoredRecord?) {
    self.recordName = recordName
    self.zoneName = zoneName
    self.record = record
  }
}

/// The records with the same value under the section key.
public struct Section: Sendable, Equatable {
  /// The value as text; empty for null.
  public var name: String
  /// Nil when no titles were asked for.
  public var indexTitle: String?
  public var numberOfRecords: Int
  /// The place of its first record in the whole result.
  public var offset: Int
}

/// How many records match.
public struct CountResult: Sendable {
  public var count: Int
  /// The position of the snapshot that was read.
  public var changeToken: ChangeToken
  public var plan: QueryPlan
}

/// A read that may take long: run apart from the one who asks, on a snapshot at least as new as its submission.
public enum ReadRequest: Sendable {
  case query(Query)
  case count(Query)
  case distinct(DistinctQuery)
  case aggregate(AggregateQuery)
  case changes(ChangesQuery)
}

public enum ReadResult: Sendable {
  case query(QueryResult)
  case count(CountResult)
  case distinct(DistinctResult)
  case aggregate(AggregateResult)
  case changes(ChangesResult)
}
