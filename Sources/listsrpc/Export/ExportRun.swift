import JSONRPC

/// One export, page after page, of one record type or of several.
@MainActor
final class ExportRun {
  private let queries: [RecordQuery]
  private let session: Session
  private let assets: AssetFolder?
  private var form: any ExportForm
  private(set) var written = 0
  /// What comes before the records; nil: nothing.
  var schema: DatabaseSchema?
  private var bar: ProgressBar
  private var total: Int?

  /// Asks what there is to write.
  ///
  /// - Parameters:
  ///   - queries: One for each record type.
  ///   - assets: Where the files of assets go; nil: nowhere.
  init(_ queries: [RecordQuery], _ format: RowFormat, assets: AssetFolder?, _ session: Session)
    async throws(Failure)
  {
    self.queries = queries
    self.assets = assets
    self.session = session
    bar = ProgressBar("Exporting", on: session.errors)
    var total = 0
    for query in queries {
      let count = try await session.call("countRecords", query.filterParameters)
      total += count["count"]?.int64Value.map { Int($0) } ?? 0
    }
    self.total = total
    switch format {
    case .jsonl: form = JSONLinesExport()
    case .json: form = JSONListExport()
    case .csv, .tsv:
      let columns = try await Self.columns(of: queries, session)
      form = TableExport(separator: format == .csv ? "," : "\t", columns: columns)
    case .cloudkit: form = CloudKitExport()
    case .parse: form = ParseExport(session)
    }
  }

  /// The fields that the records have, in order of appearance, and the zone where one is not in the default zone.
  private static func columns(
    of queries: [RecordQuery], _ session: Session
  ) async throws(Failure) -> [TableExport.Column] {
    var seen: Set<String> = []
    var columns: [TableExport.Column] = [.name]
    for query in queries {
      if let fields = query.desiredKeys { return columns + fields.map { .field($0) } }
      var pages = ResultPages(query, limit: nil, session: session)
      while let page = try await pages.next() {
        for record in page.records {
          if record["zoneName"]?.isString("_defaultZone") == false, !columns.contains(.zone) {
            columns.insert(.zone, at: 1)
          }
          guard let fields = record["fields"] else { continue }
          for member in fields.members where seen.insert(member.name).inserted {
            columns.append(.field(member.name))
          }
        }
      }
    }
    return columns
  }

  func write(to output: Output) async throws(Failure) {
    defer { bar.clear() }
    try output.write(form.heading)
    if let schema { try output.write(schema.node.encoded()) }
    for query in queries {
      var pages = ResultPages(query, limit: nil, session: session)
      while let page = try await pages.next() {
        try await form.prepare(page.records)
        try await assets?.fetch(for: page.records)
        for record in page.records {
          if written > 0 || schema != nil { try output.write(form.separator) }
          try output.write(form.bytes(of: record))
          written += 1
        }
        try output.flush()
        if session.showsProgress, !output.isTerminal { bar.show(written, of: total) }
      }
    }
    if written > 0 || schema != nil { try output.write(form.separatorAtEnd) }
    try output.write(form.ending)
    try output.flush()
    bar.clear()
    for note in form.notes { session.errors.say(DisplayText.harmless(note)) }
  }
}

/// How records are written into a file.
@MainActor
protocol ExportForm {
  /// Before the first record, between two, behind the last, and behind all.
  var heading: String { get }
  var separator: String { get }
  var separatorAtEnd: String { get }
  var ending: String { get }
  /// What was not written as it is, a sentence each.
  var notes: [String] { get }

  /// Looks up what the records of a page need.
  mutating func prepare(_ records: [JSON]) async throws(Failure)

  mutating func bytes(of record: JSON) -> [UInt8]
}

extension ExportForm {
  var heading: String { "" }
  var separator: String { "\n" }
  var separatorAtEnd: String { "\n" }
  var ending: String { "" }
  var notes: [String] { [] }
  mutating func prepare(_ records: [JSON]) async throws(Failure) {}
}

/// A record a line.
struct JSONLinesExport: ExportForm {
  mutating func bytes(of record: JSON) -> [UInt8] { Array(record.bytes) }
}

/// One list of all records.
struct JSONListExport: ExportForm {
  var heading: String { "[\n" }
  var separator: String { ",\n" }
  var ending: String { "]\n" }
  mutating func bytes(of record: JSON) -> [UInt8] { Array(record.bytes) }
}
