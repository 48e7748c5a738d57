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
      for record in page.records { try output.writeLine(record.bytes) }
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
    try output.flush()
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
    for record in page.records[range] { writer.raw(record) }
    writer.endArray()
    writer.endObject()
    try output.writeLine(writer.bytes)
  }
}
