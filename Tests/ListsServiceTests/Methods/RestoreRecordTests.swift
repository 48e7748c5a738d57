import InProcessService
import JSONRPC
import ListsService
import Testing

struct RestoreRecordTests {
  let service = InProcessService()

  @Test("A restored record is answered once under a key, and as the keys that are wanted")
  func idempotency() throws {
    let client = service.connect()
    let record: JSONNode = ["recordType": "Item", "recordName": "a", "fields": ["v": 1, "w": 2]]
    _ = try client.result("saveRecord", ["record": record])
    _ = try client.result("deleteRecord", ["recordName": "a"])
    let params: JSONNode = ["recordName": "a", "desiredKeys": ["v"], "idempotencyKey": "k"]
    let first = try client.result("restoreRecord", params)
    #expect(first["record"]?["fields"] == ["v": 1])
    #expect(try client.result("restoreRecord", params) == first)
  }

  @Test("Wrong places to go on from are refused")
  func cursors() throws {
    let client = service.connect()
    let record: JSONNode = ["recordType": "Item", "recordName": "a", "fields": [:]]
    _ = try client.result("saveRecord", ["record": record])
    for text in ["", "x", "h.", "h.-1", "h.ZZ", "h.+1", "h.01"] {
      let deleted = try client.failure("fetchDeletedRecords", ["cursor": .string(text)])
      #expect(deleted["errorCode"] == "invalidArguments" && deleted["parameter"] == "cursor", "\(text)")
      let history = try client.failure("fetchHistory", ["recordName": "a", "cursor": .string(text)])
      #expect(history["errorCode"] == "invalidArguments", "\(text)")
    }
    // One of another list finds nothing here.
    let page = try client.result("fetchHistory", ["recordName": "a", "cursor": "h.zz"])
    #expect(page["versions"] == [] && page["isComplete"] == false)
  }
}
