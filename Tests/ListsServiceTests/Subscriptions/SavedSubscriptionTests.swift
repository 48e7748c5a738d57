import Glibc
import InProcessService
import JSONRPC
import ListsService
import RecordStore
import Testing

struct SavedSubscriptionTests {
  /// Where a service keeps its stores from one start to the next.
  private final class Folder {
    let path: String

    init() {
      var template = Array("/tmp/lists-saved-XXXXXX".utf8CString)
      mkdtemp(&template)
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { _ = system("rm -rf '\(path)'") }

    func start(_ configure: (inout ServiceConfiguration) -> Void = { _ in }) -> InProcessService {
      InProcessService {
        $0.location = .directory(path)
        configure(&$0)
      }
    }
  }

  @discardableResult
  private func save(_ client: InProcessClient, _ name: String, _ v: Int64, type: String = "Item") throws
    -> JSONNode
  {
    let record: JSONNode = [
      "recordType": .string(type), "recordName": .string(name), "fields": ["v": .int(v)],
    ]
    return try client.result("saveRecord", ["record": record, "savePolicy": "allKeys"])["changeToken"]
      ?? .null
  }

  private func attach(_ client: InProcessClient, _ id: String = "inbox") throws {
    _ = try client.result("subscribe", ["subscriptionID": .string(id)])
  }

  /// What is told up to the change of that record, as `reason recordName`.
  private func told(_ client: InProcessClient, upTo name: String) throws -> (
    changes: [String], token: JSONNode
  ) {
    var changes: [String] = []
    while true {
      let push = try client.receive()["params"]
      for change in push?["changes"]?.array ?? [] {
        changes.append("\(change["reason"]?.text ?? "") \(change["recordName"]?.text ?? "")")
      }
      if changes.last?.hasSuffix(" \(name)") == true { return (changes, push?["changeToken"] ?? .null) }
    }
  }

  @Test(
    "What was missed comes after a new start of the service, deletions too, and what was acknowledged does not"
  )
  func newStart() throws {
    let folder = Folder()
    do {
      let client = folder.start().connect()
      _ = try client.result("saveSubscription", ["subscriptionID": "inbox", "recordType": "Item"])
      try save(client, "a", 1)
      try attach(client)
      #expect(try told(client, upTo: "a").changes == ["created a"])
      try save(client, "b", 1)
      let (changes, token) = try told(client, upTo: "b")
      #expect(changes == ["created b"])
      let reply = try client.result(
        "acknowledgeChanges", ["subscriptionID": "inbox", "changeToken": token])
      #expect(reply == ["subscriptionID": "inbox", "changeToken": token])
      try save(client, "c", 1)
    }
    let client = folder.start().connect()
    _ = try client.result("deleteRecord", ["recordName": "a"])
    try save(client, "d", 1)
    try attach(client)
    #expect(try told(client, upTo: "d").changes == ["created c", "deleted a", "created d"])
    try save(client, "b", 2)
    #expect(try told(client, upTo: "b").changes == ["updated b"])
  }

  @Test("Initial records come until the first acknowledgement")
  func initial() throws {
    let service = InProcessService()
    let client = service.connect()
    try save(client, "a", 1)
    let saved = try client.result(
      "saveSubscription", ["subscriptionID": "inbox", "recordType": "Item", "sendInitial": true])
    #expect(saved["subscription"]?["sendInitial"] == true)
    var token: JSONNode = .null
    for _ in 0..<2 {
      let reader = service.connect()
      try attach(reader)
      let push = try reader.receive()["params"]
      #expect(push?["initial"] == true && push?["subscriptionID"] == "inbox")
      token = push?["changeToken"] ?? .null
      _ = try reader.result("unsubscribe", ["subscriptionID": "inbox"])
    }
    _ = try client.result("acknowledgeChanges", ["subscriptionID": "inbox", "changeToken": token])
    try save(client, "b", 1)
    let reader = service.connect()
    try attach(reader)
    let push = try reader.receive()["params"]
    #expect(push?["initial"] == nil && push?["changes"]?[0]?["recordName"] == "b")
  }

  @Test("Another connection takes it over, and the first is told")
  func takeover() throws {
    let service = InProcessService()
    let first = service.connect()
    let second = service.connect()
    _ = try first.result("saveSubscription", ["subscriptionID": "inbox"])
    try attach(first)
    #expect(try second.result("fetchSubscriptions")["subscriptions"]?[0]?["isAttached"] == true)
    try attach(second)
    let ended = try first.receive()
    #expect(ended["method"] == "subscriptionEnded")
    #expect(ended["params"] == ["subscriptionID": "inbox", "reason": "attachedElsewhere"])
    try save(first, "a", 1)
    #expect(try told(second, upTo: "a").changes == ["created a"])
    #expect(try first.takePushes().isEmpty)
    // The same connection begins anew, from what was acknowledged.
    try attach(second)
    let push = try second.receive()["params"]
    #expect(push?["seq"] == 1 && push?["changes"]?[0]?["recordName"] == "a")
    second.session.close()
    #expect(try first.result("fetchSubscriptions")["subscriptions"]?[0]?["isAttached"] == false)
  }

  @Test("Another definition, or a deletion, ends what is attached; the same definition does not")
  func definitions() throws {
    let service = InProcessService()
    let client = service.connect()
    let other = service.connect()
    let params: JSONNode = [
      "subscriptionID": "inbox", "recordType": "Item", "predicate": "v > %@", "arguments": [3],
    ]
    let saved = try client.result("saveSubscription", params)["subscription"]
    #expect(saved?["predicate"] == "v > %@" && saved?["arguments"] == [3] && saved?["isAttached"] == false)
    try save(client, "a", 5)
    try attach(client)
    #expect(try told(client, upTo: "a").changes == ["created a"])
    other.send(
      """
      {"jsonrpc":"2.0","id":9,"method":"saveSubscription","params":{"arguments": [ 3 ],"predicate":"v > %@",
      "recordType":"Item","subscriptionID":"inbox","zoneName":null}}
      """)
    let same = try other.receive()["result"]?["subscription"]
    #expect(same?["changeToken"] == saved?["changeToken"] && same?["isAttached"] == true)
    _ = try other.result("saveSubscription", ["subscriptionID": "inbox", "recordType": "Other"])
    #expect(try client.receive()["params"] == ["subscriptionID": "inbox", "reason": "deleted"])
    try attach(client)
    try save(client, "o", 1, type: "Other")
    #expect(try told(client, upTo: "o").changes == ["created o"])
    #expect(
      try other.result("deleteSubscription", ["subscriptionID": "inbox"]) == ["subscriptionID": "inbox"])
    #expect(try client.receive()["params"] == ["subscriptionID": "inbox", "reason": "deleted"])
    #expect(try client.failure("subscribe", ["subscriptionID": "inbox"])["errorCode"] == "unknownItem")
    #expect(try client.result("fetchSubscriptions")["subscriptions"] == [])
    _ = try client.result("deleteSubscription", ["subscriptionID": "inbox", "ignoreMissing": true])
  }

  @Test("Who was away for longer than changes are kept is told once to fetch anew")
  func pruned() throws {
    let service = InProcessService { $0.storeLimits.maximumHistoryChanges = 10 }
    let client = service.connect()
    _ = try client.result("saveSubscription", ["subscriptionID": "inbox"])
    for round in 0..<600 { try save(client, "a", Int64(round)) }
    try attach(client)
    let push = try client.receive()["params"]
    #expect(push?["resync"] == true && push?["changes"] == [])
    try save(client, "b", 1)
    let next = try client.receive()["params"]
    #expect(next?["changes"]?[0]?["recordName"] == "b" && next?["resync"] == nil)
  }

  @Test("Who follows a zone that was deleted meanwhile is told what went with it")
  func deletedZone() throws {
    let client = InProcessService().connect()
    _ = try client.result("saveZone", ["zoneName": "z"])
    _ = try client.result("saveSubscription", ["subscriptionID": "inbox", "zoneName": "z"])
    let record: JSONNode = ["recordType": "Item", "recordName": "a", "zoneName": "z", "fields": [:]]
    let token = try client.result("saveRecord", ["record": record])["changeToken"] ?? .null
    _ = try client.result("acknowledgeChanges", ["subscriptionID": "inbox", "changeToken": token])
    _ = try client.result("deleteZone", ["zoneName": "z"])
    try attach(client)
    let push = try client.receive()["params"]
    #expect(push?["changes"]?.array?.map { $0["reason"] } == ["deleted"])
    #expect(push?["deletedZones"] == ["z"])
  }

  @Test("Each user has their own, in each database")
  func users() throws {
    let service = InProcessService { $0.access = .everyone }
    let client = service.connect()
    let other = service.connect(user: 7)
    for database in ["private", "public"] {
      _ = try client.result(
        "saveSubscription", ["subscriptionID": "inbox", "database": .string(database)])
    }
    #expect(try other.result("fetchSubscriptions", ["database": "public"])["subscriptions"] == [])
    #expect(
      try other.failure("subscribe", ["subscriptionID": "inbox", "database": "public"])["errorCode"]
        == "unknownItem")
    try attach(client)
    let data = try client.failure("subscribe", ["subscriptionID": "inbox", "database": "public"])
    #expect(data["parameter"] == "subscriptionID")
  }

  @Test("What can't be saved, attached or acknowledged is told")
  func refusals() throws {
    let service = InProcessService { $0.limits.maximumSavedSubscriptions = 1 }
    let client = service.connect()
    for id in ["", "12", "_a", "$a", "a\u{7}"] as [JSONNode] {
      #expect(try client.failure("saveSubscription", ["subscriptionID": id])["parameter"] == "subscriptionID")
    }
    let wrong: [(JSONNode, String)] = [
      (["subscriptionID": "a", "predicate": "v >"], "invalidArguments"),
      (["subscriptionID": "a", "zoneName": "nowhere"], "zoneNotFound"),
      (["subscriptionID": "a", "since": "none"], "changeTokenExpired"),
      (["subscriptionID": "a", "firesOn": []], "invalidArguments"),
      (["subscriptionID": "a", "sendInitial": true, "since": "none"], "invalidArguments"),
      (["subscriptionID": "a", "countOnly": true], "invalidArguments"),
    ]
    for (params, code) in wrong {
      #expect(try client.failure("saveSubscription", params)["errorCode"]?.text == code, "\(params)")
    }
    _ = try client.result("saveSubscription", ["subscriptionID": "a"])
    let data = try client.failure("saveSubscription", ["subscriptionID": "b"])
    #expect(data["limitName"] == "maximumSavedSubscriptions")
    #expect(
      try client.failure("subscribe", ["subscriptionID": "a", "recordType": "Item"])["parameter"]
        == "recordType")
    #expect(
      try client.failure("acknowledgeChanges", ["subscriptionID": "a", "changeToken": "x"])["errorCode"]
        == "changeTokenExpired")
    for name in ["a", "b"] { try save(client, name, 1) }
    let page = try client.result("fetchChanges", ["resultsLimit": 1])["changeToken"] ?? .null
    #expect(
      try client.failure("acknowledgeChanges", ["subscriptionID": "a", "changeToken": page])["parameter"]
        == "changeToken")
    #expect(try client.failure("subscribe", ["since": page])["parameter"] == "since")
    #expect(
      try client.failure("fetchSubscriptions", ["subscriptionID": "b"])["errorCode"] == "unknownItem")
  }
}
