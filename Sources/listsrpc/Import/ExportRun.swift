import JSONRPC

/// One export, page after page.
@MainActor
final class ExportRun {
  private let query: RecordQuery
  private let format: RowFormat
  private let session: Session
  private(set) var written = 0
  private var bar: ProgressBar
  private var total: Int?
  /// The columns of a CSV file, after the record's name.
  private var columns: [String] = []

  /// Asks what there is to write.
  init(_ query: RecordQuery, _ format: RowFormat, _ session: Session) async throws(Failure) {
    self.query = query
    self.format = format
    self.session = session
    bar = ProgressBar("Exporting", on: session.errors)
    let count = try await session.call("countRecords", query.filterParameters)
    total = count["count"]?.int64Value.map { Int($0) }
    if isTable {
      if let fields = query.desiredKeys { columns = fields } else { columns = try await fieldNames() }
    }
  }

  private var isTable: Bool { format == .csv || format == .tsv }

  /// The fields that the records have, in order of appearance.
  private func fieldNames() async throws(Failure) -> [String] {
    var seen: Set<String> = []
    var names: [String] = []
    var pages = ResultPages(query, limit: nil, session: session)
    while let page = try await pages.next() {
      for record in page.records {
        guard let fields = record["fields"] else { continue }
        for member in fields.members where seen.insert(member.name).inserted { names.append(member.name) }
      }
    }
    return names
  }

  func write(to output: Output) async throws(Failure) {
    defer { bar.clear() }
    if isTable { try output.write(line(["recordName"] + columns)) }
    if format == .json { try output.write("[") }
    var pages = ResultPages(query, limit: nil, session: session)
    while let page = try await pages.next() {
      for record in page.records {
        try write(record, to: output)
        written += 1
      }
      try output.flush()
      if session.showsProgress, !output.isTerminal { bar.show(written, of: total) }
    }
    if format == .json { try output.write(written == 0 ? "]\n" : "\n]\n") }
    try output.flush()
  }

  private func write(_ record: JSON, to output: Output) throws(Failure) {
    switch format {
    case .jsonl: try output.writeLine(record.bytes)
    case .json: try output.write((written == 0 ? "\n" : ",\n") + record.text)
    case .csv, .tsv:
      var values = [Self.text(of: record["recordName"])]
      let fields = record["fields"]
      for column in columns { values.append(Self.text(of: fields?[column])) }
      try output.write(line(values))
    }
  }

  private func line(_ values: [String]) -> String {
    let separator: Unicode.Scalar = format == .csv ? "," : "\t"
    return values.map { value in
      // By scalars: a separator or quote that bears a combining mark is one character with it.
      let isPlain = !value.unicodeScalars.contains { [separator, "\"", "\n", "\r"].contains($0) }
      guard !isPlain else { return value }
      var quoted = "\"".unicodeScalars
      for scalar in value.unicodeScalars {
        quoted.append(scalar)
        if scalar == "\"" { quoted.append(scalar) }
      }
      quoted.append("\"")
      return String(quoted)
    }.joined(separator: String(separator)) + "\r\n"
  }

  /// A value in a cell of CSV.
  private static func text(of value: JSON?) -> String {
    guard let value, !value.isNull else { return "" }
    if let text = value.stringValue { return text }
    if value.kind == .object {
      if let date = value["$date"]?.stringValue { return date }
      if let name = value["$reference"]?["recordName"]?.stringValue { return name }
    }
    return value.text
  }
}
