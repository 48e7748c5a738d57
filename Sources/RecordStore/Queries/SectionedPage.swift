internal import Records

/// The order of a result whose sections the sort order doesn't keep together: by section, then by the sort
/// order. A page goes on where the one before ended.
///
/// Sections are in the order of their first records, which may be another one when the next page is asked
/// for. So a cursor remembers the sections that are done with: what is not among them is still to come.
struct SectionedPage {
  /// The section that the page starts in the midst of, and where.
  private let start: (section: UInt64, position: QueryPosition)?
  private let finished: Set<UInt64>
  /// The sections that this page and those behind it have, in order.
  private let sections: [UInt64]
  private let ranks: [[UInt8]: Int]

  /// From the first page's section on.
  init(_ list: SectionList, from first: Int = 0) {
    let hashes = list.entries.map { Self.hash($0.key) }
    start = nil
    finished = Set(hashes[..<first])
    sections = Array(hashes[first...])
    ranks = Self.ranks(of: list, sections)
  }

  /// Where the cursor's page ended. Throws `invalidArguments` when the cursor is not of such a page.
  init(_ list: SectionList, after cursor: QueryCursor) throws(RecordError) {
    guard let current = cursor.marks.first else { throw .cursorOfAnotherQuery }
    let finished = Set(cursor.marks.dropFirst())
    let hashes = list.entries.map { Self.hash($0.key) }
    start = (current, cursor.position)
    self.finished = finished
    sections =
      (hashes.contains(current) ? [current] : [])
      + hashes.filter { $0 != current && !finished.contains($0) }
    ranks = Self.ranks(of: list, sections)
  }

  private static func ranks(of list: SectionList, _ sections: [UInt64]) -> [[UInt8]: Int] {
    let places = Dictionary(sections.enumerated().map { ($1, $0) }) { first, _ in first }
    var ranks: [[UInt8]: Int] = [:]
    for entry in list.entries { ranks[entry.key] = places[hash(entry.key)] }
    return ranks
  }

  /// Where a record stands among those still to come; nil for one that is not among them.
  func position(
    of record: StoredRecord, _ layout: SectionLayout, _ matches: MatchScan
  ) throws(RecordError) -> QueryPosition? {
    let key = try layout.key(of: matches.value(at: layout.path, of: record))
    guard let rank = ranks[key] else { return nil }
    let position = try matches.position(of: record)
    if let start, sections[rank] == start.section, !(start.position < position) { return nil }
    var ranked: [UInt8] = []
    ranked.reserveCapacity(4 + position.key.count)
    withUnsafeBytes(of: UInt32(rank).bigEndian) { ranked.append(contentsOf: $0) }
    return QueryPosition(key: ranked + position.key, tie: position.tie)
  }

  /// The cursor of a page whose last record stands there, as ``position(of:_:_:)`` said.
  func cursor(after last: QueryPosition, moment: Int64) -> QueryCursor {
    let rank = last.key.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let current = sections[rank]
    var done = finished.union(sections[..<rank])
    if let start, start.section != current { done.insert(start.section) }
    var cursor = QueryCursor(
      QueryPosition(key: Array(last.key.dropFirst(4)), tie: last.tie), moment: moment)
    // In one order, so that the same page has the same cursor.
    cursor.marks = [current] + done.sorted()
    return cursor
  }

  /// FNV-1a, so that it is the same in every run.
  private static func hash(_ key: [UInt8]) -> UInt64 {
    key.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
