import InProcessService
import JSONRPC
import ListsService
import Testing

struct ContainerTests {
  private func save(_ client: InProcessClient, _ container: String, _ database: String = "private") throws {
    _ = try client.result(
      "saveRecord",
      [
        "record": ["recordType": "Item", "recordName": "a", "fields": [:]], "savePolicy": "allKeys",
        "container": .string(container), "database": .string(database),
      ])
  }

  private func names(_ client: InProcessClient) throws -> [String] {
    try client.result("fetchContainers")["containers"]?.elements.map { $0["container"]?.text ?? "" } ?? []
  }

  @Test("In the machine's service everyone sees what concerns them, and root deletes")
  func everyone() throws {
    let service = InProcessService { $0.access = .everyone }
    let (ann, bob, root) = (service.connect(user: 1), service.connect(user: 2), service.connect(user: 0))
    try save(ann, "ann")
    try save(ann, "both", "public")
    try save(bob, "both")
    #expect(try names(ann) == ["ann", "both"])
    #expect(try names(bob) == ["both"])
    #expect(try names(root) == ["default", "ann", "both"])
    let listed = try ann.result("fetchContainers")["containers"]?.elements.last
    #expect(listed?["databases"]?.array?.count == 1)
    for client in [ann, bob] {
      let data = try client.failure("deleteContainer", ["container": "ann"])
      #expect(data["errorCode"] == "permissionFailure")
    }
    _ = try root.result("deleteContainer", ["container": "ann"])
    #expect(try names(ann) == ["both"])
  }

  @Test("What a connection sends behind the deletion is for a new container")
  func order() throws {
    let service = InProcessService()
    let client = service.connect()
    try save(client, "c")
    for (id, method) in ["saveRecord", "deleteContainer", "saveRecord", "countRecords"].enumerated() {
      var params: [(String, JSONNode)] = [("container", "c")]
      if method == "saveRecord" { params.append(("record", ["recordType": "Item", "fields": [:]])) }
      if method == "countRecords" { params.append(("recordType", "Item")) }
      client.send([
        "jsonrpc": "2.0", "id": .int(Int64(id)), "method": .string(method), "params": .object(params),
      ])
    }
    var replies: [JSONNode] = []
    for _ in 0..<4 { replies.append(try client.receive()) }
    #expect(replies.map { $0["id"]?.count } == [0, 1, 2, 3])
    #expect(replies.allSatisfy { $0["result"] != nil })
    #expect(replies[3]["result"]?["count"] == 1)
  }

  @Test("Who uses it meanwhile gets one clean answer for each request, and its subscriptions end")
  func others() throws {
    let service = InProcessService()
    let (client, other) = (service.connect(), service.connect())
    try save(client, "c")
    let subscribed = try other.result("subscribe", ["recordType": "Item", "container": "c"])
    client.send(["jsonrpc": "2.0", "id": 1, "method": "deleteContainer", "params": ["container": "c"]])
    // Nothing of the deletion was taken in yet: to this connection the database is still there.
    let count = 50
    for id in 0..<count {
      other.send([
        "jsonrpc": "2.0", "id": .int(Int64(id)), "method": id % 5 == 4 ? "countRecords" : "saveRecord",
        "params": id % 5 == 4
          ? ["container": "c", "recordType": "Item"]
          : ["container": "c", "record": ["recordType": "Item", "fields": [:]]],
      ])
    }
    #expect(try client.receive()["result"]?["container"] == "c")
    var answered = 0
    var ended = 0
    while answered < count || ended == 0 {
      let message = try other.receive()
      if message["method"] == "subscriptionEnded" {
        ended += 1
        #expect(message["params"]?["subscriptionID"] == subscribed["subscriptionID"])
        #expect(message["params"]?["reason"] == "containerDeleted")
      } else if message["method"] == nil {
        #expect(message["id"]?.count == answered)
        if let data = message["error"]?["data"] {
          #expect(data["errorCode"] == "serviceUnavailable" && data["retryAfter"] != nil, "\(message)")
        }
        answered += 1
      }
    }
    #expect(ended == 1)
    try save(other, "c")
    // Beside what was sent when it was gone already.
    let left =
      try other.result("countRecords", ["container": "c", "recordType": "Item"])["count"]?.count ?? 0
    #expect((1...count).contains(left))
  }
}
