import InProcessService
import JSONRPC
import Testing

@testable import ListsService

/// How much one change may bring along under `include`.
struct IncludeLimitTests {
  private func service() -> InProcessService {
    InProcessService {
      $0.limits.maximumItems = 10
      $0.limits.maximumReplyBytes = 400_000
    }
  }

  private func record(_ name: String, type: String, _ fields: JSONNode) -> JSONNode {
    ["recordType": .string(type), "recordName": .string(name), "fields": fields]
  }

  private func saveTexts(_ names: [String], bytes: Int, by client: InProcessClient) throws {
    let text = JSONNode.string(String(repeating: "x", count: bytes))
    for name in names {
      _ = try client.result("saveRecord", ["record": record(name, type: "Text", ["t": text])])
    }
  }

  private func item(_ name: String, referringTo names: [String]) -> JSONNode {
    let references = names.map { name -> JSONNode in ["$reference": ["recordName": .string(name)]] }
    return record(name, type: "Item", ["refs": .array(references)])
  }

  private func save(_ item: JSONNode, by client: InProcessClient) throws {
    _ = try client.result("saveRecord", ["record": item, "savePolicy": "allKeys"])
  }

  private func names(_ prefix: String, _ count: Int) -> [String] { (0..<count).map { "\(prefix)\($0)" } }

  /// Checks that it is the end of a subscription that something brings too much along for.
  private func expectEnd(_ push: JSONNode?) {
    #expect(push?["method"] == "subscriptionEnded")
    let error = push?["params"]?["error"]
    #expect(error?["data"]?["errorCode"] == "limitExceeded")
    #expect(error?["data"]?["limitName"] == "maximumItems")
    #expect(error?["data"]?["limit"] == 10)
    #expect(error?["message"]?.text.contains("leave out include") == true)
  }

  /// Of changes, from the initial records on, and of a sorted result.
  private static let kinds: [JSONNode] = [
    ["recordType": "Item", "include": ["refs"]],
    ["recordType": "Item", "include": ["refs"], "sendInitial": true],
    ["recordType": "Item", "include": ["refs"], "resultsLimit": 5],
  ]

  @Test(
    "A change that brings too many records along ends the subscription, at the limit it does not",
    arguments: kinds)
  func records(_ params: JSONNode) throws {
    let client = service().connect()
    _ = try client.result("subscribe", params)
    _ = try client.takePushes()
    try save(item("a", referringTo: names("t", 10) + names("t", 10)), by: client)
    #expect(try client.takePushes().first?["params"]?["included"]?.array?.count == 10)
    try save(item("b", referringTo: names("t", 11)), by: client)
    let pushes = try client.takePushes()
    #expect(pushes.count == 1)
    expectEnd(pushes.first)
  }

  @Test("A change that brings too much along ends the subscription", arguments: kinds)
  func bytes(_ params: JSONNode) throws {
    let client = service().connect()
    try saveTexts(names("t", 3), bytes: 90_000, by: client)
    _ = try client.result("subscribe", params)
    _ = try client.takePushes()
    try save(item("a", referringTo: names("t", 2)), by: client)
    #expect(try client.takePushes().first?["params"]?["included"]?.array?.count == 2)
    try save(item("a", referringTo: names("t", 3)), by: client)
    let pushes = try client.takePushes()
    #expect(pushes.count == 1)
    expectEnd(pushes.first)
  }

  @Test("So does a record that is there at the beginning", arguments: kinds.dropFirst())
  func initial(_ params: JSONNode) throws {
    let client = service().connect()
    try saveTexts(names("t", 3), bytes: 90_000, by: client)
    try save(item("a", referringTo: names("t", 3)), by: client)
    _ = try client.result("subscribe", params)
    expectEnd(try client.receive())
  }

  @Test("A record that was told of live may be among the initial records, whatever it brings along")
  func sameForInitial() throws {
    let client = InProcessService().connect()
    try saveTexts(names("t", 5), bytes: 1 << 20, by: client)
    try save(item("a", referringTo: names("t", 5)), by: client)
    _ = try client.result("subscribe", ["recordType": "Item", "include": ["refs"], "sendInitial": true])
    #expect(try client.receive()["params"]?["included"]?.array?.count == 5)
  }

  @Test("All who have the subscription hear of its end, and those without include of the change")
  func members() throws {
    let service = service()
    let writer = service.connect()
    let readers = (0..<3).map { _ in service.connect() }
    for reader in readers {
      _ = try reader.result("subscribe", ["recordType": "Item", "include": ["refs"]])
      _ = try reader.result("subscribe", ["recordType": "Item"])
    }
    try save(item("a", referringTo: names("t", 11)), by: writer)
    service.settle()
    for reader in readers {
      let pushes = try reader.takePushes()
      #expect(Set(pushes.map { $0["method"]?.text }) == ["subscriptionEnded", "recordsChanged"])
    }
    #expect(service.service.subscriptionCount == 3)
  }

  @Test("A push ends before what is included makes it too long, and what is included already costs nothing")
  func parts() throws {
    let client = InProcessService().connect()
    try saveTexts(names("t", 3), bytes: 3 << 20, by: client)
    _ = try client.result("subscribe", ["recordType": "Item", "include": ["refs"]])
    func create(_ items: [JSONNode]) throws -> [Int?] {
      let operations = items.map { item -> JSONNode in ["operationType": "create", "record": item] }
      _ = try client.result("modifyRecords", ["operations": .array(operations)])
      return try client.takePushes().map { $0["params"]?["changes"]?.array?.count }
    }
    let apart = names("a", 3).enumerated().map { item($1, referringTo: ["t\($0)"]) }
    #expect(try create(apart) == [1, 1, 1])
    #expect(try create(names("b", 3).map { item($0, referringTo: ["t0"]) }) == [3])
  }
}
