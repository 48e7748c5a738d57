internal import Records

/// The sections of a whole result, in their order.
struct SectionList: Sendable {
  struct Entry: Sendable {
    /// The section's value as a `SortKey`: what tells sections apart.
    let key: [UInt8]
    var name: String
    var count: Int
    /// The place of its first record in the whole result.
    var offset = 0
    /// Where its first record stands in the sort order, or what comes right before all of its records.
    var first: QueryPosition
  }

  let entries: [Entry]
  /// That it takes, about.
  let bytes: Int
  /// Whether the entries say where the first records stand themselves.
  private let hasFirstRecords: Bool

  /// In the order of their first records.
  init(_ found: some Sequence<Entry>, hasFirstRecords: Bool) {
    self.hasFirstRecords = hasFirstRecords
    var entries = found.sorted { $0.first < $1.first }
    var offset = 0
    var bytes = 0
    for index in entries.indices {
      entries[index].offset = offset
      offset += entries[index].count
      bytes += entries[index].size
    }
    self.entries = entries
    self.bytes = bytes
  }

  /// Whether all that is asked for can be told from it.
  func isGood(for layout: SectionLayout) -> Bool { hasFirstRecords || !layout.needsFirstRecords }

  /// As they are given out.
  func sections(_ layout: SectionLayout) -> [Section] {
    entries.map { entry in
      Section(
        name: entry.name, indexTitle: layout.title(of: entry.name), numberOfRecords: entry.count,
        offset: entry.offset)
    }
  }

  /// The place of the first section with that title. Throws `unknownItem`, whose details have the titles that
  /// there are, when there is none.
  func index(ofTitle title: String, _ layout: SectionLayout) throws(RecordError) -> Int {
    let titles = entries.map { layout.title(of: $0.name) ?? "" }
    if let index = titles.firstIndex(of: title) { return index }
    throw RecordError(
      .unknownItem, "no section has this index title",
      details: [.init(name: "known", texts: titles.withoutRepetition())])
  }
}

extension SectionList.Entry {
  var size: Int { key.count + name.utf8.count + first.key.count + first.tie.count + 128 }
}

/// Gathers the sections of records that come in any order.
struct SectionCounter {
  private let layout: SectionLayout
  private var entries: [[UInt8]: SectionList.Entry] = [:]
  private var bytes = 0
  private var hasFirstRecords = true

  init(_ layout: SectionLayout) {
    self.layout = layout
  }

  /// Counts a record with that value under the section key. `position` is asked for where the record stands in
  /// the sort order: only for the first of a section when they come in that order.
  ///
  /// Throws `limitExceeded` for too many sections, and what `position` throws.
  mutating func add(
    _ value: FieldValue?, comeInOrder: Bool, position: () throws(RecordError) -> QueryPosition
  ) throws(RecordError) {
    let key = try layout.key(of: value)
    guard let known = entries[key] else {
      return try add(key, value, count: 1, first: try position())
    }
    entries[key]?.count += 1
    if comeInOrder { return }
    let own = try position()
    if own < known.first {
      entries[key]?.first = own
      entries[key]?.name = SectionLayout.name(of: value)
    }
  }

  /// A section that was not there yet, with all its records, of a result that is sorted by them.
  mutating func add(_ value: FieldValue?, count: Int) throws(RecordError) {
    let key = try layout.key(of: value)
    hasFirstRecords = false
    try add(key, value, count: count, first: layout.start(ofSection: key))
  }

  private mutating func add(
    _ key: [UInt8], _ value: FieldValue?, count: Int, first: QueryPosition
  ) throws(RecordError) {
    let entry = SectionList.Entry(
      key: key, name: SectionLayout.name(of: value), count: count, first: first)
    bytes += entry.size
    guard entries.count < layout.maximum, bytes <= SectionLayout.maximumBytes else { throw layout.tooMany }
    entries[entry.key] = entry
  }

  func finish() -> SectionList { SectionList(entries.values, hasFirstRecords: hasFirstRecords) }
}
