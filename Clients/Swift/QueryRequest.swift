public import JSONRPC
public import Records

/// Which records are wanted, and how: the parameters of `performQuery`, and as far as they apply those of
/// `countRecords`, `distinctValues` and `aggregateRecords`.
public struct QueryRequest: Sendable {
  public var recordType: String
  /// A predicate's text; nil: every record.
  public var predicate: String?
  /// The values of the predicate's `%@` and other places.
  public var arguments: [JSONNode] = []
  /// The values of the predicate's `$names`.
  public var variables: [(String, JSONNode)] = []
  /// CloudKit's filters, in place of a predicate.
  public var filterBy: JSONNode?
  public var sortDescriptors: [SortDescriptor] = []
  /// The fields that records carry; nil: all.
  public var desiredKeys: [String]?
  /// The most records of a page, or values or groups; nil: the service's default.
  public var resultsLimit: Int?
  /// From the page before.
  public var cursor: String?
  /// nil: every zone.
  public var zoneName: String?
  /// The key whose values make the sections; nil: no sections.
  public var sectionNameKey: String?
  public var sectionIndexTitle: SectionIndexTitle?
  /// Key paths to references, whose records are to come along.
  public var include: [String] = []
  /// The index title of the section to begin at.
  public var fromIndexTitle: String?
  /// Have the service tell how the records were found.
  public var explains = false
  public var container: String?
  public var database: String?

  public init(recordType: String, predicate: String? = nil, arguments: [JSONNode] = []) {
    self.recordType = recordType
    self.predicate = predicate
    self.arguments = arguments
  }

  /// Sorts by a key behind those that are sorted by already.
  ///
  /// - Throws: `RecordError` when it is no key path.
  public mutating func sort(
    by key: String, ascending: Bool = true, collation: SortDescriptor.Collation = .codePoint
  ) throws(RecordError) {
    sortDescriptors.append(try SortDescriptor(key: key, ascending: ascending, collation: collation))
  }

  /// The predicate for records that the program holds already: it means what it means to the service.
  /// References lead only to where a `RecordResolver` given to it leads.
  ///
  /// - Throws: `RecordError` with the column at fault, as the service answers it.
  public func localPredicate() throws(RecordError) -> Predicate {
    if let json = filterBy?.json {
      return try Predicate(filterBy: json.kind == .array ? Array(json.elements) : [json])
    }
    guard let predicate else { return .everything }
    let variables: JSON? = variables.isEmpty ? nil : JSONNode.object(variables).json
    return try Predicate(parsing: predicate, arguments: arguments.map(\.json), variables: variables)
  }

  /// The parameters that say which records are meant.
  var filterParameters: [(String, JSONNode)] {
    var members: [(String, JSONNode)] = [("recordType", .string(recordType))]
    if let predicate { members.append(("predicate", .string(predicate))) }
    if !arguments.isEmpty { members.append(("arguments", .array(arguments))) }
    if !variables.isEmpty { members.append(("variables", .object(variables))) }
    if let filterBy { members.append(("filterBy", filterBy)) }
    if let zoneName { members.append(("zoneName", .string(zoneName))) }
    if explains { members.append(("explain", true)) }
    return members + place
  }

  /// The size of a page and where it begins.
  var pageParameters: [(String, JSONNode)] {
    var members: [(String, JSONNode)] = []
    if let resultsLimit { members.append(("resultsLimit", .int(Int64(resultsLimit)))) }
    if let cursor { members.append(("cursor", .string(cursor))) }
    return members
  }

  /// The parameters of `performQuery`.
  var parameters: [(String, JSONNode)] {
    var members = filterParameters + pageParameters
    if !sortDescriptors.isEmpty {
      members.append(("sortDescriptors", .array(sortDescriptors.map { .json($0.json) })))
    }
    if let desiredKeys { members.append(("desiredKeys", .array(desiredKeys.map { .string($0) }))) }
    if let sectionNameKey { members.append(("sectionNameKey", .string(sectionNameKey))) }
    if let sectionIndexTitle { members.append(("sectionIndexTitle", .string(sectionIndexTitle.rawValue))) }
    if !include.isEmpty { members.append(("include", .array(include.map { .string($0) }))) }
    if let fromIndexTitle, cursor == nil { members.append(("fromIndexTitle", .string(fromIndexTitle))) }
    return members
  }

  private var place: [(String, JSONNode)] {
    [("container", container), ("database", database)].compactMap { name, value in
      value.map { (name, .string($0)) }
    }
  }
}
