import JSONRPC
import ListsClient
import Records
import Testing

private func event(_ text: String, _ more: String = "") throws -> ChangeEvent {
  .changes(ChangeBatch(json: try JSON(parsing: #"{"changeToken":"t","changes":[\#(text)]\#(more)}"#)))
}

private func change(
  _ name: String, _ reason: String = "created", from: Int? = nil, to: Int? = nil, section: String? = nil,
  n: Int = 0
) -> String {
  var text = #"{"reason":"\#(reason)","recordType":"Item","recordName":"\#(name)","zoneName":"z""#
  if to != nil || (from == nil && reason != "deleted") {
    text += #","record":{"recordType":"Item","recordName":"\#(name)","zoneName":"z","fields":{"n":\#(n)}}"#
  }
  if let from { text += ",\"from\":\(from)" }
  if let to { text += ",\"to\":\(to)" }
  if let section { text += #","section":{"name":"\#(section)","indexTitle":"\#(section)"}"# }
  return text + "}"
}

struct LiveListTests {
  @Test("Rows are put in, moved and taken away one change after another")
  func steps() throws {
    var list = LiveList()
    try list.apply(
      event(change("a", to: 0) + "," + change("b", to: 1), #","initial":true,"moreComing":true"#))
    #expect(!list.isComplete)
    try list.apply(event(change("c", to: 2), #","initial":true"#))
    #expect(list.isComplete && list.records.map(\.recordName) == ["a", "b", "c"])
    let steps = try list.apply(
      event(
        [
          change("c", "updated", from: 2, to: 0, n: 7), change("b", "left", from: 2),
          change("d", "entered", to: 1),
          change("a", "deleted", from: 2),
        ].joined(separator: ",")))
    #expect(list.records.map(\.recordName) == ["c", "d"])
    #expect(list.records[0].value(forKey: "n") == .int64(7))
    #expect(
      steps == [
        .init(from: 2, to: 0), .init(from: 2, to: nil), .init(from: nil, to: 1), .init(from: 2, to: nil),
      ])
    try list.apply(.reset(changeToken: ""))
    #expect(list.rows.isEmpty && !list.isComplete)
  }

  @Test("Sections are the runs of rows that stand in one")
  func sections() throws {
    var list = LiveList()
    try list.apply(
      event(
        [
          change("a", to: 0, section: "A"), change("b", to: 1, section: "B"),
          change("c", to: 1, section: "A"),
        ].joined(separator: ",")))
    #expect(list.sections.map(\.section.name) == ["A", "B"])
    #expect(list.sections.map(\.rows) == [0..<2, 2..<3])
  }

  @Test(
    "A change that does not fit the rows is an error, not another list",
    arguments: [
      change("b", "left", from: 0), change("a", "left", from: 1), change("b", to: 2), change("b", to: -1),
      change("b"),
    ])
  func mismatch(text: String) throws {
    var list = LiveList()
    try list.apply(event(change("a", to: 0)))
    #expect(throws: LiveList.Mismatch.self) { try list.apply(event(text)) }
  }
}

struct LiveRecordsTests {
  private func names(_ records: LiveRecords) -> [String] { records.records.keys.map(\.recordName).sorted() }

  @Test("Changes are kept up, and told as what changed and what is gone")
  func changes() throws {
    var held = LiveRecords()
    _ = held.apply(try event(change("a") + "," + change("b"), #","initial":true"#))
    let update = held.apply(
      try event(
        [change("a", "updated"), change("b", "updated", n: 2), change("c", "deleted")].joined(separator: ","))
    )
    #expect(update.changed.map(\.recordName) == ["b"] && update.gone.isEmpty)
    #expect(held.apply(try event(change("a", "left"))).gone.map(\.recordName) == ["a"])
    #expect(names(held) == ["b"])
  }

  @Test("What does not come again after a reset is gone, once everything has come")
  func reset() throws {
    var held = LiveRecords()
    _ = held.apply(try event(change("a") + "," + change("b"), #","initial":true"#))
    #expect(held.apply(.reset(changeToken: "t")).gone.isEmpty && names(held) == ["a", "b"])
    let first = held.apply(try event(change("c"), #","initial":true,"moreComing":true"#))
    #expect(first.gone.isEmpty && names(held) == ["a", "b", "c"])
    let last = held.apply(try event(change("b"), #","initial":true"#))
    #expect(last.gone.map(\.recordName) == ["a"] && last.changed.isEmpty)
    #expect(names(held) == ["b", "c"])
  }

  @Test("Fetched pages do the same")
  func pages() throws {
    var held = LiveRecords()
    func page(_ text: String, reset: Bool = false, more: Bool = false) throws -> LiveRecords.Update {
      var page = FetchedChanges(
        json: try JSON(parsing: #"{"changes":[\#(text)],"changeToken":"t","moreComing":\#(more)}"#))
      page.isReset = reset
      return held.apply(page)
    }
    _ = try page(change("a") + "," + change("b"))
    #expect(try page(change("b"), reset: true, more: true).gone.isEmpty)
    #expect(try page("").gone.map(\.recordName) == ["a"])
    #expect(names(held) == ["b"])
  }

  @Test("What a query gave takes the place of everything")
  func replaced() throws {
    var held = LiveRecords()
    _ = held.apply(try event(change("a") + "," + change("b"), #","initial":true"#))
    let kept = held.records.values.filter { $0.recordName == "b" }
    #expect(held.replace(with: kept).gone.map(\.recordName) == ["a"])
  }
}
