import Glibc
import JSONRPC
import ListsClient
import Records
import ServiceFixture
import Testing

/// What the client holds, with the real service.
@Suite(.timeLimit(.minutes(5)))
struct LiveServiceTests {
  let service: ListsdProcess
  private var address: ServiceAddress { ServiceAddress(path: service.socketPath) }

  init() throws { service = try ListsdProcess() }

  private func save(_ name: String, _ fields: [(String, JSONNode)] = [], zone: String? = nil) async throws {
    var record: [(String, JSONNode)] = [
      ("recordType", "Item"), ("recordName", .string(name)), ("fields", .object(fields)),
    ]
    if let zone { record.append(("zoneName", .string(zone))) }
    let params: JSONNode = ["record": .object(record), "savePolicy": "allKeys"]
    _ = try await Connection(to: address).call("saveRecord", params)
  }

  @Test("After the store was replaced everything is taken anew, what is gone is found, and it goes on")
  func expiredToken() async throws {
    try await save("gone")
    try await save("kept")
    var request = SubscriptionRequest(recordType: "Item")
    request.sendsInitial = true
    let stream = try await Connection.subscribe(request, to: address)
    var held = LiveRecords()
    while held.records.count < 2, let event = try await stream.next() { _ = held.apply(event) }
    service.stop()
    try runToEnd(["rm", "-r", service.stateDirectory])
    try service.start()
    try await save("kept")
    var gone: [LiveRecords.Name] = []
    while gone.isEmpty, let event = try await stream.next() { gone = held.apply(event).gone }
    #expect(gone == [LiveRecords.Name("gone")])
    #expect(held.records.keys.map(\.recordName) == ["kept"])
    try await save("new")
    while held.records.count < 2, let event = try await stream.next() { _ = held.apply(event) }
    #expect(held.records[.init("new")] != nil)
  }

  @Test("What changed is fetched page by page; a token of another store brings everything, once")
  func fetchedChanges() async throws {
    for number in 0..<5 { try await save("n\(number)") }
    let connection = try Connection(to: address)
    var held = LiveRecords([
      StoredRecord(body: try JSON(parsing: #"{"recordName":"x","zoneName":"_defaultZone"}"#))
    ])
    var request = ChangesRequest(since: "1-2-3")
    request.resultsLimit = 2
    var token = ""
    var resets = 0
    var gone: [LiveRecords.Name] = []
    for try await page in connection.changePages(request) {
      if page.isReset { resets += 1 }
      gone += held.apply(page).gone
      token = page.changeToken
    }
    #expect(resets == 1 && gone == [LiveRecords.Name("x")] && held.records.count == 5)
    try await save("n5")
    _ = try await connection.call("deleteRecord", ["recordName": "n0"])
    let page = try await connection.fetchChanges(ChangesRequest(since: token))
    #expect(Set(page.changes.map { $0.reason + " " + $0.recordName }) == ["created n5", "deleted n0"])
    #expect(!page.isContinued)
  }

  @Test("Previous values and included records come with a change; what fires once ends")
  func contents() async throws {
    let connection = try Connection(to: address)
    _ = try await connection.call(
      "saveRecord",
      ["record": ["recordType": "List", "recordName": "g", "fields": ["name": "Groceries"]]])
    try await save("milk", [("n", 1), ("list", ["$reference": ["recordName": "g"]])])
    var request = SubscriptionRequest(recordType: "Item")
    request.include = ["list"]
    request.includesPrevious = true
    request.firesOnce = true
    let stream = try await connection.subscribe(request)
    try await save("milk", [("n", 2), ("list", ["$reference": ["recordName": "g"]])])
    guard case .changes(let batch) = try await stream.next(), let change = batch.changes.first,
      let record = change.record.map(StoredRecord.init(body:))
    else {
      Issue.record("no change")
      return
    }
    #expect(change.previousValue(forKey: "n") == .int64(1) && change.changedKeys == ["n"])
    guard case .reference(let list) = record.value(forKey: "list") else {
      Issue.record("no reference")
      return
    }
    #expect(batch.included.record(list, heldBy: record)?.value(forKey: "name") == .string("Groceries"))
    if try await stream.next() != nil { Issue.record("it goes on") }
  }

  @Test("A list kept up by its changes is what a query gives, also after kill -9 of the service")
  func windows() async throws {
    var request = SubscriptionRequest(recordType: "Item", predicate: "n > 2")
    try request.sort(by: "g")
    try request.sort(by: "n", ascending: false)
    request.sectionNameKey = "g"
    request.resultsLimit = 4
    let stream = try await Connection.subscribe(request, to: address)
    var list = LiveList()
    for round in 0..<6 {
      for number in 0..<5 {
        let value = Int64((number * 7 + round * 3) % 10)
        try await save(
          "r\((number + round) % 8)", [("n", .int(value)), ("g", .string(value > 5 ? "x" : "y"))])
      }
      if round == 3 {
        service.stop(SIGKILL)
        try service.start()
      }
      var query = QueryRequest(recordType: "Item", predicate: "n > 2")
      try query.sort(by: "g")
      try query.sort(by: "n", ascending: false)
      query.resultsLimit = 4
      let page = try await Connection(to: address).query(query)
      let wanted = page.records.map(\.recordChangeTag)
      while list.records.map(\.recordChangeTag) != wanted, let event = try await stream.next() {
        try list.apply(event)
      }
      #expect(list.rows.allSatisfy { $0.record.value(forKey: "g") == .string($0.section?.name ?? "") })
      #expect(list.sections.map(\.rows.count).reduce(0, +) == list.rows.count)
    }
  }

  @Test("A count follows what is saved")
  func count() async throws {
    var request = SubscriptionRequest(recordType: "Item")
    request.countsOnly = true
    let stream = try await Connection.subscribe(request, to: address)
    for number in 1...3 { try await save("n\(number)") }
    var counts: [Int] = []
    while counts.last != 3, case .changes(let batch)? = try await stream.next() {
      counts += batch.count.map { [$0] } ?? []
    }
    #expect(counts == counts.sorted() && Set(counts).count == counts.count)
  }
}
