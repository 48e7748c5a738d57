internal import JSONRPC
internal import Records

/// How the sections of a query lie in its order.
struct SectionLayout {
  let path: FieldPath
  /// Whether the sort order keeps the records of a section together by itself, since it begins with the
  /// section key. Otherwise the sections are put in the order of their first records.
  let isSortOrder: Bool
  /// Whether it must be known where the first records of the sections stand: to start there, where an index is
  /// read from its end, it doesn't suffice to know their values.
  let needsFirstRecords: Bool
  /// How values are told apart.
  private let descriptor: SortDescriptor
  private let isOneSection: Bool
  private let indexTitle: SectionIndexTitle?

  private let maximumInOrder: Int
  /// Each page has to look at the whole result then.
  private static let maximumOutOfOrder = 1000
  /// That the sections of one result may take.
  static let maximumBytes = 32 << 20

  /// `descriptors`: those of the query's order that can make a difference. Throws `invalidArguments` when the
  /// section key is none.
  init(
    _ request: SectionRequest, of query: Query, sortedBy descriptors: [SortDescriptor]
  ) throws(RecordError) {
    guard let path = try FieldPath(key: request.nameKey) else {
      throw RecordError(.invalidArguments, "'\(request.nameKey)' is no key to make sections by")
    }
    self.path = path
    indexTitle = request.indexTitle
    maximumInOrder = query.maximumSections
    let plain = SortDescriptor(path)
    if let first = descriptors.first, first.sorts(by: path) {
      descriptor = first
      isSortOrder = true
      isOneSection = false
    } else if QueryConditions.constantPaths(of: query.predicate).contains(path) {
      // All are in one section.
      descriptor = query.sortDescriptors.first { $0.sorts(by: path) } ?? plain
      isSortOrder = true
      isOneSection = true
    } else {
      descriptor = plain
      isSortOrder = descriptors.isEmpty && path.isRecordName
      isOneSection = false
    }
    needsFirstRecords =
      query.fromIndexTitle != nil && query.cursor == nil
      && (!isSortOrder || !descriptor.ascending || descriptors.isEmpty && path.isRecordName)
  }

  var maximum: Int { isSortOrder ? maximumInOrder : min(maximumInOrder, Self.maximumOutOfOrder) }

  /// What tells the section of that value from others, and sorts it where it is sorted by.
  func key(of value: FieldValue?) throws(RecordError) -> [UInt8] {
    var key: [UInt8] = []
    try SortKey.append(value, descriptor, to: &key)
    return key
  }

  var collation: SortDescriptor.Collation { descriptor.collation }

  /// What comes right before all records of the section, in a result that is sorted by them.
  func start(ofSection key: [UInt8]) -> QueryPosition {
    QueryPosition(key: isOneSection ? [] : key, tie: [])
  }

  func title(of name: String) -> String? {
    indexTitle?.title(forSection: name, collation: descriptor.collation)
  }

  var tooMany: RecordError {
    let advice =
      isSortOrder
      ? "make sections by a key with fewer values"
      : "sort by the section key first, then there may be \(maximumInOrder)"
    return RecordError(
      .limitExceeded, "the result has more than \(maximum) sections; \(advice)",
      details: [.init(name: "limitName", text: "maximumSections"), .init(name: "limit", number: maximum)])
  }

  /// The value as text: what it is on the wire, and text and dates without their quotes; empty for null.
  static func name(of value: FieldValue?) -> String {
    switch value {
    case nil: return ""
    case .string(let text): return text
    case .date(let moment): return DateText.format(moment)
    case let value?: return value.json.text
    }
  }
}

extension SortDescriptor {
  /// Whether records with different values there are never mixed in this order.
  fileprivate func sorts(by path: FieldPath) -> Bool { self.path == path && relativeLocation == nil }
}

extension FieldPath {
  fileprivate var isRecordName: Bool { systemKey == .recordName && components.count == 1 && !countsElements }
}

extension [String] {
  /// Each text once, where it stands first; canonically equivalent texts are one.
  package func withoutRepetition() -> [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

extension RecordError.Detail {
  init(name: String, texts: [String]) {
    var writer = JSONWriter()
    writer.beginArray()
    for text in texts { writer.string(text) }
    writer.endArray()
    self.init(name: name, json: writer.bytes)
  }
}
