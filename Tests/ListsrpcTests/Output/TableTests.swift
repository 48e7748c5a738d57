import Glibc
import JSONRPC
import Testing

@testable import listsrpc

struct DisplayTextTests {
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  @Test(
    "Text is as wide as a terminal shows it",
    arguments: [
      ("abc", 3), ("Åland", 5), ("A\u{30A}land", 5), ("日本", 4), ("한국", 4), ("🇧🇪", 2), ("👩‍👩‍👧", 2), ("❤️", 2),
      ("‘Ajmān", 6),
      ("", 0),
    ])
  func widths(text: String, width: Int) {
    #expect(DisplayText.width(text) == width)
  }

  @Test("Text that is cut ends with an ellipsis and never in the middle of a wide character")
  func fitted() {
    #expect(DisplayText.fitted("abcdef", to: 6) == "abcdef")
    #expect(DisplayText.fitted("abcdef", to: 5) == "abcd…")
    #expect(DisplayText.fitted("日本語", to: 4) == "日…")
    #expect(DisplayText.width(DisplayText.fitted("日本語", to: 4)) <= 4)
  }

  @Test("What could steer the terminal is shown and not done")
  func harmless() {
    #expect(
      DisplayText.harmless("a\u{1B}[2J\nb\t\u{7F}\u{9B}\u{202E}") == "a\\u001b[2J\\nb\\t\\u007f\\u009b\\u202e"
    )
    #expect(DisplayText.harmless("Côte d’Ivoire 🇨🇮") == "Côte d’Ivoire 🇨🇮")
  }

  @Test(
    "A cell shows values in their short form",
    arguments: [
      (#""x\ny""#, "x\\ny"), ("1.50", "1.50"), ("true", "true"), ("null", ""), ("[1,2]", "[1,2]"),
      (#"{"$date":"2026-12-01T00:00:00.000Z"}"#, "2026-12-01T00:00:00.000Z"),
      (#"{"$reference":{"recordName":"a"}}"#, "→a"),
      (#"[{"$reference":{"recordName":"a"}},{"$reference":{"recordName":"b"}}]"#, "→a →b"),
      (#"{"$asset":{"checksum":"0123456789abcdef","size":5}}"#, "5 B 0123456789ab…"),
      (#"{"$location":{"latitude":50.85,"longitude":4.35}}"#, "50.85, 4.35"), (#"{"a":1}"#, #"{"a":1}"#),
    ])
  func cells(json: String, text: String) throws {
    #expect(DisplayText.cell(try JSON(parsing: json)) == text)
  }
}

struct TableTests {
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private func table() -> Table {
    var table = Table(headings: ["name", "n", "note"])
    table.append([.init(text: "日本"), .init(text: "1", isRight: true), .init(text: "x")])
    table.append([
      .init(text: "a"), .init(text: "100", isRight: true), .init(text: String(repeating: "y", count: 60)),
    ])
    return table
  }

  @Test("Columns are aligned by width, numbers at the right")
  func aligned() {
    let lines = table().lines(columns: 100)
    #expect(lines.heading == "name    n  note")
    #expect(lines.rows[0] == "日本    1  x")
    #expect(lines.rows[1].hasPrefix("a     100  yyy"))
  }

  @Test("The widest columns are cut until the table fits", arguments: [24, 30, 50, 70])
  func cut(columns: Int) {
    let lines = table().lines(columns: columns)
    for line in [lines.heading] + lines.rows { #expect(DisplayText.width(line) <= columns) }
    #expect(lines.rows[1].hasSuffix("…"))
  }
}

struct ResultSectionTests {
  private let sections = [
    ResultSection(name: "Åland", indexTitle: "A", numberOfRecords: 1, offset: 0),
    ResultSection(name: "Albania", indexTitle: "A", numberOfRecords: 2, offset: 1),
    ResultSection(name: "Belgium", indexTitle: "B", numberOfRecords: 4, offset: 3),
  ]

  @Test("Neighbours with the same index title are one section")
  func merged() {
    #expect(
      ResultSection.mergedByIndexTitle(sections) == [
        ResultSection(name: "A", indexTitle: "A", numberOfRecords: 3, offset: 0),
        ResultSection(name: "B", indexTitle: "B", numberOfRecords: 4, offset: 3),
      ])
  }

  @Test("A page's records are dealt out to the sections that they lie in")
  func parts() {
    let parts = ResultSection.parts(of: sections, offset: 2, count: 3)
    #expect(parts.map(\.section.name) == ["Albania", "Belgium"])
    #expect(parts.map(\.range) == [0..<1, 1..<3])
    #expect(ResultSection.parts(of: sections, offset: 7, count: 0).isEmpty)
  }
}
