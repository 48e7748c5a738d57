import InProcessService
import JSONRPC
import RecordStore
import Testing

@testable import ListsService

/// A subscriber that applies blindly what it is told of a sorted result holds what `performQuery` gives, and one
/// that is told a count has that of `countRecords`: whatever was saved and deleted, and however late it reads.
struct LiveResultAgreementTests {
  @Test("A subscriber that reads at once", arguments: 1...6)
  func prompt(seed: UInt64) throws {
    var run = try AgreementRun(seed: seed, windows: 14)
    for round in 0..<12 {
      for _ in 0..<15 { try run.change() }
      try run.check("seed \(seed), round \(round)")
    }
  }

  @Test("A subscriber that doesn't read for a while", arguments: 11...14)
  func slow(seed: UInt64) throws {
    var run = try AgreementRun(seed: seed, windows: 10) { $0.limits.maximumQueuedBytes = 2000 }
    for round in 0..<8 {
      run.stall()
      for _ in 0..<20 { try run.change() }
      run.drain()
      try run.check("seed \(seed), round \(round)")
    }
  }

  @Test("A subscriber that doesn't read until what it missed is no longer kept", arguments: 21...24)
  func pruned(seed: UInt64) throws {
    var run = try AgreementRun(seed: seed, windows: 10) {
      $0.limits.maximumQueuedBytes = 2000
      $0.storeLimits.maximumHistoryChanges = 5
    }
    for round in 0..<8 {
      run.stall()
      for _ in 0..<20 { try run.change() }
      run.drain()
      try run.check("seed \(seed), round \(round)")
    }
  }

  @Test("A subscriber that stops reading in the midst of what it missed", arguments: 31...32)
  func slowAgain(seed: UInt64) throws {
    var run = try AgreementRun(seed: seed, windows: 6) { $0.limits.maximumQueuedBytes = 2000 }
    for round in 0..<4 {
      run.stall()
      try run.changeMany()
      // One delivery each: what is read between two is a part of what was missed.
      for _ in 0..<3 {
        run.drain(upTo: 1)
        run.stall()
        for _ in 0..<3 { try run.change() }
      }
      run.drain()
      try run.check("seed \(seed), round \(round)")
    }
  }
}

/// A store that random changes are made to, and the live results of one reader.
private struct AgreementRun {
  private struct Window {
    var question: [(String, JSONNode)]
    var limit: Int?
    var isCount: Bool
    var list = LiveList()
  }

  private var chance: Chance
  private let service: InProcessService
  private let writer: InProcessClient
  private let reader: InProcessClient
  /// For questions, so that their replies don't lie behind the reader's pushes.
  private let asker: InProcessClient
  private var windows: [String: Window] = [:]

  init(
    seed: UInt64, windows count: Int, _ configure: (inout ServiceConfiguration) -> Void = { _ in }
  ) throws {
    chance = Chance(seed: seed)
    service = InProcessService(configure)
    writer = service.connect()
    reader = service.connect()
    asker = service.connect()
    for name in ["l0", "l1", "l2"] { try saveList(name) }
    for _ in 0..<20 { try change() }
    for _ in 0..<count {
      let window = makeWindow()
      var params = window.question
      if window.isCount { params.append(("countOnly", true)) }
      if let limit = window.limit { params.append(("resultsLimit", .int(Int64(limit)))) }
      let id = try reader.result("subscribe", .object(params))["subscriptionID"]?.text ?? ""
      windows[id] = window
    }
  }

  private mutating func makeWindow() -> Window {
    var question: [(String, JSONNode)] = [("recordType", "Item")]
    let filters: [String?] = [
      nil, "n > 2", "b = YES", "t CONTAINS[c] 'a'", "list.name = 'a'", "n = 3", "x < 2 OR n IN {1, 4}",
      "t = 'e\u{301}'",
    ]
    if let filter = chance.one(of: filters) { question.append(("predicate", .string(filter))) }
    let isCount = chance.below(4) == 0
    if isCount { return Window(question: question, limit: nil, isCount: true) }
    var descriptors: [JSONNode] = []
    for _ in 0..<chance.below(4) { descriptors.append(makeDescriptor()) }
    question.append(("sortDescriptors", .array(descriptors)))
    if let key = descriptors.first?["key"], descriptors.first?["relativeLocation"] == nil,
      chance.below(2) == 0
    {
      question.append(("sectionNameKey", key))
      question.append(("sectionIndexTitle", chance.one(of: ["firstLetter", "whole", "wholeUppercased"])))
    }
    let limit = chance.below(4) == 0 ? nil : chance.below(20) + 1
    return Window(question: question, limit: limit, isCount: false)
  }

  private mutating func makeDescriptor() -> JSONNode {
    let key = chance.one(of: [
      "n", "t", "x", "b", "list.name", "p", "recordName", "modificationDate", "n", "t",
    ])
    var members: [(String, JSONNode)] = [("key", .string(key))]
    members.append(("ascending", .bool(chance.below(2) == 0)))
    if chance.below(3) == 0 { members.append(("nulls", chance.one(of: ["first", "last"]))) }
    if key == "t", chance.below(2) == 0 { members.append(("collation", "localized")) }
    if key == "p" {
      members.append(("relativeLocation", ["$location": ["latitude": 52, "longitude": 13]]))
    }
    return .object(members)
  }

  // MARK: Changes

  private static let texts = ["a", "A", "ab b", "Straße", "strasse", "e\u{301}", "é", "", "東京", "Åland"]

  private mutating func fields() -> JSONNode {
    var fields: [(String, JSONNode)] = []
    if chance.below(4) > 0 { fields.append(("n", .int(Int64(chance.below(6))))) }
    if chance.below(4) > 0 { fields.append(("x", .double(chance.one(of: [0.5, 1.5, 2, 3.5])))) }
    if chance.below(4) > 0 { fields.append(("t", .string(chance.one(of: Self.texts)))) }
    if chance.below(3) > 0 { fields.append(("b", .bool(chance.below(2) == 0))) }
    if chance.below(3) > 0 {
      fields.append(("list", ["$reference": ["recordName": .string("l\(chance.below(4))")]]))
    }
    if chance.below(3) > 0 {
      let place: JSONNode = ["latitude": .int(Int64(50 + chance.below(4))), "longitude": 13]
      fields.append(("p", ["$location": place]))
    }
    return .object(fields)
  }

  private mutating func operation(_ type: String) -> JSONNode {
    let name = JSONNode.string("r\(chance.below(40))")
    if type == "forceDelete" { return ["operationType": "forceDelete", "record": ["recordName": name]] }
    return [
      "operationType": .string(type),
      "record": ["recordType": "Item", "recordName": name, "fields": fields()],
    ]
  }

  private mutating func operation() -> JSONNode {
    operation(chance.one(of: ["forceReplace", "forceReplace", "forceUpdate", "forceUpdate", "forceDelete"]))
  }

  private mutating func saveList(_ name: String) throws {
    _ = try writer.result(
      "saveRecord",
      [
        "record": [
          "recordType": "List", "recordName": .string(name),
          "fields": ["name": .string(chance.one(of: Self.texts))],
        ], "savePolicy": "allKeys",
      ])
  }

  mutating func change() throws {
    if chance.below(8) == 0 { return try saveList("l\(chance.below(4))") }
    let count = chance.below(4) == 0 ? chance.below(12) + 1 : 1
    try modify((0..<count).map { _ in operation() })
  }

  /// As many as are told in several pages.
  mutating func changeMany() throws {
    for _ in 0..<3 {
      try modify(
        (0..<200).map { index in
          [
            "operationType": "forceReplace",
            "record": [
              "recordType": "Item", "recordName": .string("s\(index)"), "fields": fields(),
            ],
          ]
        })
    }
    for _ in 0..<10 { try change() }
  }

  private func modify(_ operations: [JSONNode]) throws {
    _ = try writer.result("modifyRecords", ["operations": .array(operations), "desiredKeys": []])
  }

  // MARK: Reading

  func stall() { reader.outbound.stall() }

  /// The reader takes what there is, and goes on reading, for so many rounds at most.
  func drain(upTo rounds: Int = 1000) {
    reader.outbound.drain()
    reader.session.outboundDidDrain()
    for _ in 0..<rounds where !service.settleOnce() { break }
  }

  mutating func check(_ moment: String) throws {
    service.settle()
    // Of a machine that has much to do reads may take long, and are made apart.
    while reader.session.subscriptions.values.contains(where: { !$0.state.isLive }) { try service.turn() }
    for push in try reader.takePushes() {
      let id = push["params"]?["subscriptionID"]?.text ?? ""
      do {
        try windows[id]?.list.apply(push)
      } catch {
        Issue.record("\(moment): \(windows[id]?.question ?? []): \(error)")
      }
    }
    for window in windows.values {
      let question = "\(moment): \(window.question) limit \(window.limit ?? 0)"
      if window.isCount {
        let count = try asker.result("countRecords", .object(window.question))["count"]
        #expect(window.list.count == count?.count, "\(question)")
      } else {
        try check(window, question)
      }
    }
  }

  private func check(_ window: Window, _ question: String) throws {
    let limit = Int64(window.limit ?? 1000)
    let page = try asker.result("performQuery", .object(window.question + [("resultsLimit", .int(limit))]))
    let records = page["records"]?.elements ?? []
    #expect(window.list.names == records.map { $0["recordName"]?.text }, "\(question)")
    #expect(window.list.rows.map(\.record) == records, "\(question)")
    if let limit = window.limit { #expect(window.list.greatestCount <= limit, "\(question)") }
    // Row by row; texts that are composed in different ways are one section.
    var sections: [[String]] = []
    for section in page["sections"]?.elements ?? [] {
      let own = [section["name"]?.text ?? "", section["indexTitle"]?.text ?? ""]
      for _ in 0..<(section["numberOfRecords"]?.count ?? 0) { sections.append(own) }
    }
    let own = window.list.rows.compactMap { row in
      row.section.map { [$0["name"]?.text ?? "", $0["indexTitle"]?.text ?? ""] }
    }
    #expect(own == Array(sections.prefix(records.count)), "\(question)")
  }
}

extension Subscription.State {
  /// Whether the client was told all that there is.
  fileprivate var isLive: Bool {
    if case .live = self { true } else { false }
  }
}
