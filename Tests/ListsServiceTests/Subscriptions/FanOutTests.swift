import InProcessService
import JSONRPC
import RecordStore
import Testing

@testable import ListsService

/// How much is done for a commit when there are many live filters.
struct FanOutTests {
  let service = InProcessService()

  private var shapes: [SubscriptionShape] {
    let id = StoreID(container: StoreID.defaultContainer, database: .private(1000))
    return service.service.databases.openDatabase(id).map { Array($0.hub.shapes.values) } ?? []
  }

  private func subscribe(_ client: InProcessClient, _ predicate: String) throws {
    _ = try client.result("subscribe", ["recordType": "Item", "predicate": .string(predicate)])
  }

  private func save(_ client: InProcessClient, _ fields: JSONNode) throws {
    _ = try client.result(
      "saveRecord",
      ["record": ["recordType": "Item", "recordName": "a", "fields": fields], "savePolicy": "allKeys"])
  }

  @Test("A save is put to those of 1,000 filters alone that it may concern, before or after")
  func looks() throws {
    let (writer, reader) = (service.connect(), service.connect())
    try save(writer, ["list": "l0", "size": 0])
    for number in 0..<500 {
      try subscribe(reader, "list == 'l\(number)'")
      try subscribe(reader, "size BETWEEN {\(number * 10), \(number * 10 + 9)}")
    }
    try save(writer, ["list": "l7", "size": 42])
    #expect(try reader.takePushes().count == 4)
    #expect(shapes.reduce(0) { $0 + $1.work.looks } == 4)
    try save(writer, ["list": "l7", "size": 43])
    #expect(try reader.takePushes().count == 2)
    #expect(shapes.reduce(0) { $0 + $1.work.looks } == 6)
  }

  @Test("A change is made into JSON once for 100 subscribers that ask for the same, and once for the writer")
  func texts() throws {
    let writer = service.connect()
    let readers = (0..<100).map { _ in service.connect() }
    for reader in readers { try subscribe(reader, "size > 0") }
    try save(writer, ["size": 1])
    for reader in readers { #expect(try reader.takePushes().count == 1) }
    #expect(shapes.map(\.work.texts) == [1])
    #expect(shapes.map(\.work.looks) == [1])
    try subscribe(writer, "size > 0")
    try save(writer, ["size": 2])
    for reader in readers + [writer] { #expect(try reader.takePushes().count == 1) }
    #expect(shapes.map(\.work.texts) == [3])
    #expect(shapes.map(\.work.looks) == [2])
  }

  @Test("Filters that are gone are not asked, and new ones are at once")
  func comings() throws {
    let writer = service.connect()
    for round in 0..<3 {
      let reader = service.connect()
      let reply = try reader.result("subscribe", ["recordType": "Item", "predicate": "size == 1"])
      try subscribe(reader, "size > 5")
      try save(writer, ["size": 1, "round": .string("\(round)")])
      #expect(try reader.takePushes().count == 1)
      let id = try #require(reply["subscriptionID"]?.text)
      _ = try reader.result("unsubscribe", ["subscriptionID": .string(id)])
      try save(writer, ["size": 1])
      #expect(try reader.takePushes().isEmpty)
      #expect(shapes.count == 1)
      reader.session.close()
      #expect(shapes.isEmpty)
    }
  }
}
