internal import JSONRPC
internal import Records

/// Counts the records of each section, in any order.
struct SectionBuilder {
  private let request: SectionRequest
  private let descriptor: SortDescriptor
  /// By the sort key of the section's value, which is the order of sections.
  private var sections: [[UInt8]: (name: String, count: Int)] = [:]

  /// Throws `invalidArguments` unless the first sort descriptor sorts by the section key, since records of one
  /// section would not follow each other otherwise.
  init?(_ query: Query) throws(RecordError) {
    guard let request = query.sections else { return nil }
    guard let first = query.sortDescriptors.first, first.key.hasSameUTF8(as: request.nameKey) else {
      throw RecordError(
        .invalidArguments, "the first sort descriptor must sort by the section key '\(request.nameKey)'")
    }
    self.request = request
    descriptor = first
  }

  mutating func add(_ record: StoredRecord) throws(RecordError) {
    let value = record.value(at: descriptor.path)
    var key: [UInt8] = []
    try SortKey.append(value, descriptor, to: &key)
    if sections[key] == nil { sections[key] = (value.map(Self.name) ?? "", 0) }
    sections[key]?.count += 1
  }

  func finish() -> [Section] {
    var offset = 0
    return sections.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, section in
      defer { offset += section.count }
      return Section(
        name: section.name,
        indexTitle: request.indexTitle?.title(forSection: section.name, collation: descriptor.collation),
        numberOfRecords: section.count, offset: offset)
    }
  }

  /// The value as text: what it is on the wire, and text and dates without their quotes.
  private static func name(of value: FieldValue) -> String {
    switch value {
    case .string(let text): return text
    case .date(let moment): return DateText.format(moment)
    default:
      var writer = JSONWriter()
      value.write(to: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }
}
