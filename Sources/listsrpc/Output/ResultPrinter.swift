import JSONRPC

/// Prints the pages of a query: JSON lines, or a table for each page.
@MainActor
final class ResultPrinter {
  private let output: Output
  private let printsJSON: Bool
  private let fields: [String]?
  private let isSectioned: Bool
  private let mergesByIndexTitle: Bool
  private var heading: String?
  /// What came along with the pages shown as tables, each record once.
  private var included: [JSON] = []
  private var includedNames: Set<[String]> = []

  init(_ session: Session, fields: [String]?, isSectioned: Bool, mergesByIndexTitle: Bool) {
    output = session.output
    printsJSON = session.printsJSON
    self.fields = fields
    self.isSectioned = isSectioned
    self.mergesByIndexTitle = mergesByIndexTitle
  }

  /// Prints a page and hands it on.
  func print(_ page: ResultPage) throws(Failure) {
    let sections = mergesByIndexTitle ? ResultSection.mergedByIndexTitle(page.sections) : page.sections
    let parts = ResultSection.parts(of: sections, offset: page.offset, count: page.records.count)
    switch (printsJSON, isSectioned) {
    case (true, false):
      for record in page.records { try output.writeLine(Self.line(of: record, page)) }
    case (true, true):
      for (section, range) in parts { try printJSON(section, page, range) }
    case (false, false):
      let rows = try printHeading(of: page)
      for row in rows { try output.write(row + "\n") }
    case (false, true):
      let rows = try printHeading(of: page)
      for (section, range) in parts {
        if section.offset >= page.offset {
          let name = section.name.isEmpty ? "—" : DisplayText.harmless(section.name)
          try output.write(output.bold(name) + output.dim("  \(section.numberOfRecords)") + "\n")
        }
        for row in rows[range] { try output.write("  " + row + "\n") }
      }
    }
    if !printsJSON { keep(page.included.records) }
    try output.flush()
  }

  /// Prints, below a table, the records that came along with it.
  func finish() throws(Failure) {
    guard !included.isEmpty else { return }
    let lines = RecordTable(included, fields: nil).lines(columns: max(20, output.columns ?? 80))
    try output.write("\n" + output.bold("included") + output.dim("  \(included.count)") + "\n")
    try output.write(output.bold(lines.heading) + "\n")
    for row in lines.rows { try output.write(row + "\n") }
    try output.flush()
  }

  private func keep(_ records: [JSON]) {
    for record in records {
      let name = [record["zoneName"]?.stringValue ?? "", record["recordName"]?.stringValue ?? ""]
      if includedNames.insert(name).inserted { included.append(record) }
    }
  }

  private static func line(of record: JSON, _ page: ResultPage) -> ArraySlice<UInt8> {
    page.included.isEmpty ? record.bytes : page.included.extended(record)[...]
  }

  private func printHeading(of page: ResultPage) throws(Failure) -> [String] {
    guard !page.records.isEmpty else { return [] }
    let margin = isSectioned ? "  " : ""
    let lines = RecordTable(page.records, fields: fields).lines(
      columns: max(20, (output.columns ?? 80) - margin.count))
    if heading != lines.heading {
      heading = lines.heading
      try output.write(margin + output.bold(lines.heading) + "\n")
    }
    return lines.rows
  }

  private func printJSON(_ section: ResultSection, _ page: ResultPage, _ range: Range<Int>) throws(Failure) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("name")
    writer.string(section.name)
    writer.key("indexTitle")
    writer.string(section.indexTitle)
    writer.key("numberOfRecords")
    writer.int(section.numberOfRecords)
    writer.key("offset")
    writer.int(page.offset + range.lowerBound)
    writer.key("records")
    writer.beginArray()
    for record in page.records[range] { writer.raw(JSON(unchecked: Array(Self.line(of: record, page)))) }
    writer.endArray()
    writer.endObject()
    try output.writeLine(writer.bytes)
  }
}
