import Files
import InProcessService
import JSONRPC
import ListsService
import Testing

struct BackupTests {
  let service = InProcessService()

  private func save(_ client: InProcessClient, _ names: [String], v: Int64 = 1) throws {
    let operations: [JSONNode] = names.map {
      [
        "operationType": "forceReplace",
        "record": ["recordType": "Item", "recordName": .string($0), "fields": ["v": .int(v)]],
      ]
    }
    _ = try client.result("modifyRecords", ["operations": .array(operations)])
  }

  private func names(_ client: InProcessClient) throws -> [String] {
    let reply = try client.result("performQuery", ["recordType": "Item"])
    return reply["records"]?.array?.map { $0["recordName"]?.text ?? "" } ?? []
  }

  private struct Backup {
    let reply: JSONNode
    let file: OwnedDescriptor
  }

  private func backUp(_ client: InProcessClient, database: String = "private") throws -> Backup {
    let reply = try client.result("backUpDatabase", ["descriptor": true, "database": .string(database)])
    return Backup(reply: reply, file: try #require(client.outbound.descriptors.last))
  }

  private func restore(
    _ client: InProcessClient, _ backup: Backup, _ others: [(String, JSONNode)] = []
  ) throws -> JSONNode {
    client.send(
      [
        "jsonrpc": "2.0", "id": "restore", "method": "restoreDatabase",
        "params": .object(
          [("descriptor", true), ("checksum", backup.reply["checksum"] ?? .null)] + others),
      ], with: backup.file)
    while true {
      let message = try client.receive()
      if message["id"] == "restore" { return message }
    }
  }

  @Test("A backup is handed over and put back; the other databases are not touched")
  func roundTrip() throws {
    let client = service.connect()
    try save(client, ["a", "b"])
    _ = try client.result(
      "saveRecord",
      ["record": ["recordType": "Item", "recordName": "x", "fields": [:]], "container": "other"])
    let backup = try backUp(client)
    #expect(backup.reply["numberOfRecords"] == 2)
    try save(client, ["c"])
    let refused = try restore(client, backup)
    #expect(refused["error"]?["data"]?["errorCode"] == "constraintViolation")
    #expect(refused["error"]?["data"]?["numberOfRecords"] == 3)
    let restored = try restore(client, backup, [("replace", true)])
    #expect(restored["result"]?["numberOfRecords"] == 2)
    #expect(try names(client) == ["a", "b"])
    #expect(
      try client.result("fetchRecord", ["recordName": "x", "container": "other"])["record"] != nil)
    // Into another container.
    #expect(try restore(client, backup, [("container", "copy")])["result"]?["numberOfRecords"] == 2)
  }

  @Test("Without a descriptor, or with what is no backup, nothing is done")
  func refusals() throws {
    let client = service.connect()
    try save(client, ["a"])
    let backup = try backUp(client)
    let checksum = backup.reply["checksum"] ?? .null
    for params: JSONNode in [
      ["descriptor": true, "checksum": checksum], ["descriptor": false, "checksum": checksum],
    ] {
      let data = try client.failure("restoreDatabase", params)
      #expect(data["errorCode"] == "invalidArguments" && data["parameter"] == "descriptor")
    }
    #expect(try client.failure("backUpDatabase", ["descriptor": false])["parameter"] == "descriptor")
    let other = Backup(reply: ["checksum": "00"], file: backup.file)
    let reply = try restore(client, other, [("replace", true)])
    #expect(reply["error"]?["data"]?["reason"] == "checksum")
    #expect(try names(client) == ["a"])
  }

  @Test("Subscribers are told to begin anew, get what is there now, and hear of what comes")
  func subscribers() throws {
    let (client, other) = (service.connect(), service.connect())
    try save(client, ["a", "b"])
    let backup = try backUp(client)
    try save(client, ["b", "c"], v: 2)
    let plain = try other.result("subscribe", ["recordType": "Item"])["subscriptionID"]
    let initial = try other.result("subscribe", ["recordType": "Item", "sendInitial": true])["subscriptionID"]
    let rows = try other.result(
      "subscribe", ["recordType": "Item", "sortDescriptors": [["key": "recordName"]], "sendInitial": true])[
        "subscriptionID"]
    let count = try other.result("subscribe", ["recordType": "Item", "countOnly": true])["subscriptionID"]
    _ = try other.takePushes()
    _ = try restore(client, backup, [("replace", true)])
    try save(client, ["d"])
    var pushes: [JSONNode] = []
    for _ in 0..<10 { pushes += try other.takePushes().compactMap { $0["params"] } }
    func told(_ id: JSONNode?) -> [JSONNode] { pushes.filter { $0["subscriptionID"] == id } }
    func changes(_ id: JSONNode?) -> [String] {
      told(id).flatMap { $0["changes"]?.array ?? [] }.map {
        "\($0["reason"]?.text ?? "") \($0["recordName"]?.text ?? "")"
      }
    }
    #expect(told(plain).first?["resync"] == true)
    #expect(changes(plain) == ["created d"])
    #expect(told(initial).first?["resync"] == true)
    #expect(changes(initial).sorted() == ["created a", "created b", "created d"].sorted())
    // What the rows became: c is gone, b as it was, then d came.
    #expect(changes(rows).contains("deleted c") || changes(rows).contains("left c"), "\(told(rows))")
    #expect(changes(rows).contains { $0.hasSuffix(" d") })
    #expect(told(count).last?["count"] == 3, "\(told(count))")
  }

  @Test("A saved subscription that is attached ends; attached anew it goes on from what was saved then")
  func saved() throws {
    let (client, other) = (service.connect(), service.connect())
    _ = try client.result("saveSubscription", ["subscriptionID": "inbox", "recordType": "Item"])
    try save(client, ["a"])
    let backup = try backUp(client)
    _ = try other.result("subscribe", ["subscriptionID": "inbox"])
    _ = try other.takePushes()
    _ = try restore(client, backup, [("replace", true)])
    let ended = try other.takePushes().first { $0["method"] == "subscriptionEnded" }
    #expect(ended?["params"]?["reason"] == "databaseRestored")
    _ = try other.result("subscribe", ["subscriptionID": "inbox"])
    let pushes = try other.takePushes()
    #expect(pushes.first?["params"]?["changes"]?.array?.count == 1, "\(pushes)")
  }

  @Test("Keys answer again what was in the backup, and are free where they came later")
  func keys() throws {
    let client = service.connect()
    func save(_ key: String) throws -> JSONNode {
      try client.result(
        "saveRecord",
        ["record": ["recordType": "Item", "fields": [:]], "idempotencyKey": .string(key)])
    }
    let first = try save("before")
    let backup = try backUp(client)
    _ = try save("after")
    _ = try restore(client, backup, [("replace", true)])
    #expect(try save("before") == first)
    _ = try save("after")
    #expect(try names(client).count == 2)
  }

  @Test("In the machine's service the public database is backed up and restored by root alone")
  func permissions() throws {
    let service = InProcessService { $0.access = .everyone }
    let (ann, root) = (service.connect(user: 1), service.connect(user: 0))
    #expect(try backUp(ann).reply["numberOfRecords"] == 0)
    let data = try ann.failure("backUpDatabase", ["descriptor": true, "database": "public"])
    #expect(data["errorCode"] == "permissionFailure")
    let backup = try backUp(root, database: "public")
    let reply = try restore(ann, backup, [("database", "public"), ("replace", true)])
    #expect(reply["error"]?["data"]?["errorCode"] == "permissionFailure")
    #expect(try restore(root, backup, [("database", "public")])["result"]?["numberOfRecords"] == 0)
  }
}
