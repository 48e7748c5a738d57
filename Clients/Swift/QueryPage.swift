public import JSONRPC
public import Records

/// A page of a query's result.
public struct QueryPage: Sendable {
  /// The reply's `result`, as received.
  public let json: JSON
  public let records: [StoredRecord]
  /// Sections of the whole result, in their order; empty when none were asked for.
  public let sections: [QuerySection]
  private let included: ReferencedRecords

  init(json: JSON) {
    self.json = json
    records = (json["records"]?.elements).map { $0.map(StoredRecord.init(body:)) } ?? []
    sections = (json["sections"]?.elements).map { $0.map(QuerySection.init) } ?? []
    included = ReferencedRecords(json["included"])
  }

  /// Where the next page begins; nil when there is none.
  public var cursor: String? { json["cursor"]?.stringValue }
  /// The position of the snapshot that was read: a subscription since it misses nothing.
  public var changeToken: String { json["changeToken"]?.stringValue ?? "" }
  /// How the records were found; nil when that was not asked for.
  public var plan: QueryExplanation? { json["plan"].map(QueryExplanation.init) }

  /// The titles of the sections in order, each once.
  public var sectionIndexTitles: [String] {
    (json["sectionIndexTitles"]?.elements).map { $0.compactMap(\.stringValue) } ?? []
  }

  /// The first section with an index title.
  ///
  /// - Throws: `UnknownIndexTitle` when no section has it.
  public func section(forIndexTitle title: String) throws(UnknownIndexTitle) -> QuerySection {
    guard let section = sections.first(where: { $0.indexTitle == title }) else {
      throw UnknownIndexTitle(title: title, known: sectionIndexTitles)
    }
    return section
  }

  /// A record that came along because of `include`; nil when it did not, or there is none.
  ///
  /// - Parameter holder: The record that holds the reference.
  public func included(_ reference: Reference, heldBy holder: StoredRecord) -> StoredRecord? {
    included.record(reference, heldBy: holder)
  }
}

/// The records of a result with the same value under the section key.
public struct QuerySection: Sendable, Equatable {
  /// The value as text; empty where there is none.
  public let name: String
  public let indexTitle: String
  public let numberOfRecords: Int
  /// The place of its first record in the whole result.
  public let offset: Int

  init(_ json: JSON) {
    name = json["name"]?.stringValue ?? ""
    indexTitle = json["indexTitle"]?.stringValue ?? ""
    numberOfRecords = Int(json["numberOfRecords"]?.int64Value ?? 0)
    offset = Int(json["offset"]?.int64Value ?? 0)
  }
}

/// No section of the result has the index title that was looked for.
public struct UnknownIndexTitle: Error, Sendable, Equatable, CustomStringConvertible {
  public let title: String
  /// The titles that there are.
  public let known: [String]

  public init(title: String, known: [String]) {
    self.title = title
    self.known = known
  }

  public var description: String {
    let titles = known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))"
    return "no section has the index title '\(title)'; \(titles)"
  }
}

/// How the records of a query were found.
public struct QueryExplanation: Sendable {
  /// The plan, as received.
  public let json: JSON

  init(_ json: JSON) {
    self.json = json
  }

  /// `names`, `index`, `fullText`, `type`, `everything` or `none`.
  public var access: String { json["access"]?.stringValue ?? "" }
  /// The keys of the index that was used.
  public var index: [String]? {
    guard let index = json["index"], !index.isNull else { return nil }
    return index.elements.compactMap(\.stringValue)
  }
  /// Nothing had to be sorted.
  public var isOrdered: Bool { json["ordered"]?.boolValue ?? false }
  /// How many records the predicate was evaluated on.
  public var rowsExamined: Int { Int(json["rowsExamined"]?.int64Value ?? 0) }
  public var rowsReturned: Int { Int(json["rowsReturned"]?.int64Value ?? 0) }
  /// Why, for a person.
  public var reason: String { json["reason"]?.stringValue ?? "" }
  /// Keys of the query that no record of the type has.
  public var unknownKeys: [String] {
    (json["unknownKeys"]?.elements).map { $0.compactMap(\.stringValue) } ?? []
  }
}
