import InProcessService
import JSONRPC
import Testing

/// A subscriber that applies what it is told holds what a query gives, with indexes and without.
struct FilterAgreementTests {
  @Test("live filters and queries, with and without indexes, agree", arguments: [1, 2, 3] as [UInt64])
  func agreement(seed: UInt64) throws {
    var random = Numbers(seed: seed)
    let service = InProcessService()
    let writer = service.connect()
    let reader = service.connect()
    // So that every field has its type.
    try save("n0", ["n": 1, "x": 1.5, "t": "a", "b": true, "l": ["a"]], by: writer)
    let predicates = (0..<30).map { _ in random.predicate(depth: 2) }
    var predicateOf: [String: String] = [:]
    for predicate in predicates {
      let reply = try reader.result(
        "subscribe", ["recordType": "Item", "predicate": .string(predicate), "sendInitial": true])
      predicateOf[try #require(reply["subscriptionID"]?.text)] = predicate
    }
    var held: [String: Set<String>] = [:]
    for round in 0..<3 {
      if round == 1 { try declareIndexes(by: writer) }
      for _ in 0..<40 { try change(&random, by: writer) }
      // A reply on the reader's connection comes behind what it was pushed before.
      for push in try reader.takePushes(after: { _ = try reader.result("echo", ["x": 1]) }) {
        let params = try #require(push["params"])
        let id = try #require(params["subscriptionID"]?.text)
        for change in params["changes"]?.elements ?? [] {
          let name = try #require(change["recordName"]?.text)
          if ["left", "deleted"].contains(change["reason"]?.text) {
            held[id, default: []].remove(name)
          } else {
            held[id, default: []].insert(name)
          }
        }
      }
      for (id, predicate) in predicateOf {
        let page = try reader.result(
          "performQuery", ["recordType": "Item", "predicate": .string(predicate), "resultsLimit": 1000])
        let names = Set((page["records"]?.elements ?? []).compactMap { $0["recordName"]?.text })
        #expect(held[id, default: []] == names, "seed \(seed), round \(round): \(predicate)")
      }
    }
  }

  private func save(_ name: String, _ fields: JSONNode, by client: InProcessClient) throws {
    _ = try client.result(
      "saveRecord",
      [
        "record": ["recordType": "Item", "recordName": .string(name), "fields": fields],
        "savePolicy": "allKeys",
      ])
  }

  private func change(_ random: inout Numbers, by client: InProcessClient) throws {
    let name = "n\(random.below(25))"
    if random.below(4) == 0 {
      _ = try client.result("deleteRecord", ["recordName": .string(name), "ignoreMissing": true])
    } else {
      try save(name, random.fields(), by: client)
    }
  }

  private func declareIndexes(by client: InProcessClient) throws {
    _ = try client.result(
      "saveRecordType",
      [
        "recordType": [
          "name": "Item",
          "fields": [
            "n": ["indexes": ["queryable"]], "x": ["indexes": ["sortable"]],
            "t": ["indexes": ["queryable", "searchable"]], "l": ["indexes": ["queryable"]],
          ], "indexes": [["keys": ["b", "n"]]],
        ]
      ])
  }
}

extension InProcessClient {
  fileprivate func takePushes(after body: () throws -> Void) throws -> [JSONNode] {
    try body()
    return try takePushes()
  }
}

/// Records and predicates by chance (SplitMix64).
private struct Numbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ value >> 31) % UInt64(bound))
  }

  private mutating func one(of texts: [String]) -> String { texts[below(texts.count)] }

  private static let texts = ["a", "A", "ab b", "Straße", "strasse", "e\u{301}", "é", "", "東京"]

  mutating func fields() -> JSONNode {
    var fields: [(String, JSONNode)] = []
    if below(4) > 0 { fields.append(("n", .int(Int64(below(6))))) }
    if below(4) > 0 { fields.append(("x", .double([0.5, 1.5, 2, 3.5][below(4)]))) }
    if below(4) > 0 { fields.append(("t", .string(one(of: Self.texts)))) }
    if below(3) > 0 { fields.append(("b", .bool(below(2) == 0))) }
    if below(3) > 0 {
      fields.append(("l", .array((0..<below(3)).map { _ in .string(Self.texts[below(4)]) })))
    }
    return .object(fields)
  }

  mutating func predicate(depth: Int) -> String {
    if depth > 0, below(3) > 0 {
      let left = predicate(depth: depth - 1)
      let right = predicate(depth: depth - 1)
      return one(of: ["(\(left) AND \(right))", "(\(left) OR \(right))", "NOT (\(left))"])
    }
    let text = one(of: Self.texts.filter { !$0.isEmpty })
    return one(of: [
      "n \(one(of: ["=", "!=", "<", ">=", ">"])) \(below(6))", "n IN {1, 3, \(below(6))}",
      "n BETWEEN {1, \(below(6))}", "n = NULL", "x < \(below(4))", "n + x > \(below(8))", "n = x",
      "t \(one(of: ["=", "=[cd]", "!=", "CONTAINS[c]", "BEGINSWITH", "LIKE[c]"])) '\(text)'",
      "t MATCHES[c] 's.*e'", "SELF CONTAINS '\(text)'", "t TOKENMATCHES[p] '\(text)'",
      "b = \(one(of: ["YES", "NO"]))", "\(one(of: ["ANY", "ALL", "NONE"])) l = '\(text)'",
      "l CONTAINS '\(text)'", "l.@count > \(below(3))", "recordName > 'n\(below(25))'",
    ])
  }
}
