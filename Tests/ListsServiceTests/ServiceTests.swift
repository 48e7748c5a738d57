import InProcessService
import JSONRPC
import ListsService
import ServiceFixture
import Testing

struct ServiceTests {
  @Test("A user's own service answers that user and root, and refuses others once, with an end")
  func owner() throws {
    let service = InProcessService { $0.access = .owner(userID: 1000) }
    #expect(try service.connect(user: 1000).result("echo", [1]) == [1])
    #expect(try service.connect(user: 0).result("echo", [1]) == [1])
    let stranger = service.connect(user: 1001)
    #expect(try stranger.failure("echo")["errorCode"] == "permissionFailure")
    #expect(stranger.outbound.endReason != nil)
    stranger.send(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)
    #expect(stranger.outbound.isEmpty)
  }

  @Test("Each user has a private database, and all share the public one")
  func databases() throws {
    let service = InProcessService { $0.access = .everyone }
    let one = service.connect(user: 1)
    let two = service.connect(user: 2)
    let draft: JSONNode = ["recordType": "Item", "recordName": "a"]
    _ = try one.result("saveRecord", ["record": draft])
    #expect(try two.failure("fetchRecord", ["recordName": "a"])["errorCode"] == "unknownItem")
    _ = try one.result("saveRecord", ["record": draft, "database": "public"])
    let record = try two.result("fetchRecord", ["recordName": "a", "database": "public"])["record"]
    #expect(record?["created"]?["userRecordName"] == "_1")
  }

  @Test("A user's connections are limited, and one that closes makes room")
  func connectionLimit() throws {
    let service = InProcessService { $0.limits.maximumConnections = 1 }
    let first = service.connect()
    #expect(try service.connect().failure("echo")["limitName"] == "maximumConnections")
    first.session.close()
    #expect(try service.connect().result("echo", [1]) == [1])
  }

  @Test("Containers are limited")
  func containerLimit() throws {
    let service = InProcessService { $0.limits.maximumContainers = 2 }
    let client = service.connect()
    _ = try client.result("countRecords", ["recordType": "Item", "container": "one"])
    let data = try client.failure("countRecords", ["recordType": "Item", "container": "two"])
    #expect(data["limitName"] == "maximumContainers")
  }

  @Test("It is idle without subscriptions and unanswered requests")
  func idleness() throws {
    let service = InProcessService()
    #expect(service.service.isIdle)
    let client = service.connect()
    client.send(
      #"{"jsonrpc":"2.0","id":1,"method":"saveRecord","params":{"record":{"recordType":"Item"}}}"#)
    #expect(!service.service.isIdle)
    _ = try client.receive()
    #expect(service.service.isIdle)
    let id = try client.result("subscribe", ["recordType": "Item"])["subscriptionID"] ?? .null
    #expect(!service.service.isIdle)
    _ = try client.result("unsubscribe", ["subscriptionID": id])
    #expect(service.service.isIdle)
    _ = try client.result("subscribe", ["recordType": "Item"])
    client.session.close()
    #expect(service.service.isIdle)
  }

  @Test("Its statistics count sessions, subscriptions and records")
  func statistics() throws {
    let service = InProcessService()
    let client = service.connect()
    _ = try client.result("saveRecord", ["record": ["recordType": "Item"]])
    _ = try client.result("subscribe", ["recordType": "Item"])
    let statistics = service.service.statistics
    #expect(statistics.sessions == 1 && statistics.subscriptions == 1)
    #expect(statistics.records == 1 && statistics.unanswered == 0)
  }

  @Test("While it stops, new requests are refused and accepted ones are answered")
  func stopping() throws {
    let service = InProcessService()
    let client = service.connect()
    client.send(
      #"{"jsonrpc":"2.0","id":1,"method":"saveRecord","params":{"record":{"recordType":"Item"}}}"#)
    service.service.beginStopping()
    client.send(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)
    #expect(try client.receive()["result"] != nil)
    let data = try client.receive()["error"]?["data"]
    #expect(data?["errorCode"] == "serviceUnavailable" && data?["retryAfter"] != nil)
    #expect(!service.service.hasPendingWork)
  }

  @Test("Limits that are read anew count from then on")
  func reload() throws {
    let service = InProcessService()
    let client = service.connect()
    var limits = ServiceLimits()
    limits.maximumItems = 1
    service.service.reload(limits)
    #expect(try client.failure("fetchRecords", ["recordNames": ["a", "b"]])["limitName"] == "maximumItems")
    #expect(try client.result("serverInfo")["limits"]?["maximumItems"] == 1)
  }

  @Test("A damaged store is told as such without a path, is left as it is, and the others are served")
  func damagedStore() throws {
    let folder = try TemporaryFolder()
    _ = try runToEnd(["mkdir", "-p", "\(folder.path)/default"])
    let file = "\(folder.path)/default/private-1000.db"
    let text = [UInt8](String(repeating: "this is no database ", count: 1000).utf8)
    _ = try runToEnd(["tee", file], input: text)
    let service = InProcessService { $0.location = .directory(folder.path) }
    let client = service.connect()
    let reply = try client.call("countRecords", ["recordType": "Item"])
    #expect(reply["error"]?["data"]?["errorCode"] == "storeDamaged")
    #expect(!reply.description.contains(folder.path))
    #expect(service.log.contains { $0.priority == .error })
    #expect(try client.result("countRecords", ["recordType": "Item", "database": "public"])["count"] == 0)
    #expect(try runToEnd(["cat", file]).output == text)
  }

  @Test("A store that can't be opened is an error, is logged, and is back when the cause is gone")
  func unusableFolder() throws {
    let service = InProcessService { $0.location = .directory("/proc/no/such/folder") }
    let client = service.connect()
    let data = try client.failure("countRecords", ["recordType": "Item"])
    #expect(data["errorCode"] == "serviceUnavailable")
    #expect(service.log.contains { $0.fields.contains(.init("LISTS_METHOD", "countRecords")) })
    #expect(try client.result("echo", [1]) == [1])
  }
}
