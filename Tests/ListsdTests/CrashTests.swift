import Glibc
import JSONRPC
import ServiceFixture
import Testing

@Suite("listsd: kill -9")
struct CrashTests {
  private static let text = String(repeating: "whole ", count: 300)

  /// Sends saves on several connections at once and reads replies until `count` came; returns the names
  /// of the saved records and the last change token.
  private func burst(_ service: ListsdProcess, round: Int, until count: Int) throws -> (
    acknowledged: Set<String>, connections: [LineConnection]
  ) {
    let connections = try (0..<4).map { _ in try service.connect() }
    for (index, connection) in connections.enumerated() {
      let fields = "{\"text\":\"\(Self.text)\",\"round\":\(round)}"
      // More than will be read before the end, and less than the sockets hold.
      try connection.send((0..<60).map { save("r\(round)-\(index)-\($0)", fields: fields) }.joined())
    }
    var acknowledged: Set<String> = []
    for turn in 0..<count {
      let reply = try connections[turn % connections.count].receiveJSON()
      let name = try #require(reply["result"]?["record"]?["recordName"]?.stringValue)
      acknowledged.insert(name)
    }
    return (acknowledged, connections)
  }

  @Test("every acknowledged save is there afterwards, none is half there, and the change token goes on")
  func killInBurst() throws {
    let service = try ListsdProcess()
    var acknowledged: Set<String> = []
    let first = try service.connect().ask("countRecords", "{\"recordType\":\"Item\"}")
    let token = try #require(first["result"]?["changeToken"]?.stringValue)
    for round in 1...3 {
      let (names, connections) = try burst(service, round: round, until: 40 * round)
      service.stop(SIGKILL)
      acknowledged.formUnion(names)
      for connection in connections {
        // What had left before the end was acknowledged as well.
        while let line = try? connection.receiveLine() {
          if let name = try JSON(parsing: line)["result"]?["record"]?["recordName"]?.stringValue {
            acknowledged.insert(name)
          }
        }
      }
      try service.start()
    }
    let connection = try service.connect()
    for name in acknowledged.sorted() {
      let reply = try connection.ask("fetchRecord", "{\"recordName\":\"\(name)\"}")
      #expect(reply["result"]?["record"]?["recordName"]?.stringValue == name)
    }
    let query = try connection.ask("performQuery", "{\"recordType\":\"Item\",\"resultsLimit\":1000}")
    let records = try #require(query["result"]?["records"])
    var stored = 0
    for record in records.elements {
      stored += 1
      #expect(record["fields"]?["text"]?.stringValue == Self.text)
      #expect(record["fields"]?["round"]?.int64Value != nil)
    }
    #expect(stored >= acknowledged.count)
    // A subscriber of before the first crash goes on from its token, and hears of every record once.
    let subscribed = try connection.ask("subscribe", "{\"recordType\":\"Item\",\"since\":\"\(token)\"}")
    #expect(subscribed["result"]?["subscriptionID"] != nil)
    var told: Set<String> = []
    while told.count < stored {
      for change in try connection.receiveJSON()["params"]?["changes"]?.elements.map({ $0 }) ?? [] {
        let name = try #require(change["recordName"]?.stringValue)
        #expect(told.insert(name).inserted)
      }
    }
    #expect(told.isSuperset(of: acknowledged))
  }

  @Test("what is sent again with its key after the end is done once, whether or not it was before")
  func sendAgain() throws {
    let service = try ListsdProcess()
    func increment(_ key: Int) -> String {
      request(
        "saveRecord",
        "{\"record\":{\"recordType\":\"Item\",\"recordName\":\"n\",\"fields\":{\"v\":{\"$increment\":1}}},"
          + "\"savePolicy\":\"changedKeys\",\"idempotencyKey\":\"k\(key)\"}", id: key)
    }
    let requests = 200
    var answers: [Int: String] = [:]
    for round in 1...4 {
      let connection = try service.connect()
      try connection.send((1...requests).map(increment).joined())
      for number in 1...30 * round {
        let line = try #require(try connection.receiveLine())
        if let before = answers[number] { #expect(line == before) }
        answers[number] = line
      }
      service.stop(SIGKILL)
      try service.start()
    }
    let connection = try service.connect()
    try connection.send((1...requests).map(increment).joined())
    for number in 1...requests {
      let line = try #require(try connection.receiveLine())
      if let before = answers[number] { #expect(line == before) }
      // Done one after the other, each once: the number that each made is its own.
      #expect(try JSON(parsing: line)["result"]?["record"]?["fields"]?["v"]?.int64Value == Int64(number))
    }
    let reply = try connection.ask("fetchRecord", "{\"recordName\":\"n\"}")
    #expect(reply["result"]?["record"]?["fields"]?["v"]?.int64Value == Int64(requests))
  }
}
