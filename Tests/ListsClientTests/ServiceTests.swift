import Glibc
import JSONRPC
import ListsClient
import ServiceFixture
import Testing

/// The client with the real service.
@Suite(.timeLimit(.minutes(5)))
struct ServiceTests {
  let service: ListsdProcess
  private var address: ServiceAddress { ServiceAddress(path: service.socketPath) }

  init() throws { service = try ListsdProcess() }

  private static func record(_ name: String, _ fields: [(String, JSONNode)]) -> JSONNode {
    [
      "record": ["recordType": "Item", "recordName": .string(name), "fields": .object(fields)],
      "savePolicy": "allKeys",
    ]
  }

  /// The next changes, however they are divided into pushes.
  private func take(_ count: Int, of stream: ChangeStream) async throws -> [RecordChange] {
    var changes: [RecordChange] = []
    while changes.count < count, let event = try await stream.next() {
      guard case .changes(let batch) = event else { throw FixtureError("a reset came") }
      changes += batch.changes
    }
    return changes
  }

  @Test("Calls of mixed length from many tasks get their own replies while another client's saves are pushed")
  func concurrentCalls() async throws {
    let connection = try Connection(to: address)
    let stream = try await connection.subscribe(SubscriptionRequest(recordType: "Item"))
    let writer = try Connection(to: address)
    let echoed = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        for number in 0..<50 {
          _ = try await writer.call("saveRecord", Self.record("n\(number)", [("n", .int(Int64(number)))]))
        }
        return true
      }
      for number in 0..<100 as Range<Int64> {
        group.addTask {
          let text = JSONNode.string(String(repeating: "x", count: Int(number * number)))
          let reply = try await connection.call("echo", [.int(number), text])
          return JSONNode(reply) == [.int(number), text]
        }
      }
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(echoed)
    let changes = try await take(50, of: stream)
    #expect(changes.map(\.recordName) == (0..<50).map { "n\($0)" })
    #expect(changes.allSatisfy { $0.reason == "created" && !$0.isOwn })
  }

  @Test("A stream of its own connection goes on after kill -9: each change once, none missed")
  func killed() async throws {
    var request = SubscriptionRequest(recordType: "Item")
    request.sendsInitial = true
    let stream = try await Connection.subscribe(request, to: address)
    for round in 0..<3 {
      let writer = try Connection(to: address)
      for number in 0..<10 {
        _ = try await writer.call("saveRecord", Self.record("r\(round)n\(number)", []))
      }
      if round.isMultiple(of: 2) {
        service.stop(SIGKILL)
        try service.start()
      }
      let names = try await take(10, of: stream).map(\.recordName)
      #expect(names == (0..<10).map { "r\(round)n\($0)" })
    }
  }

  @Test("A query and a stream since its token miss nothing while another client writes")
  func sinceQuery() async throws {
    let address = address
    let writing = Task {
      let writer = try Connection(to: address)
      for number in 0..<300 {
        _ = try await writer.call("saveRecord", Self.record("n\(number)", []))
      }
    }
    let connection = try Connection(to: address)
    for _ in 0..<10 {
      let page = try await connection.call("performQuery", ["recordType": "Item", "resultsLimit": 1000])
      var names = (page["records"]?.elements).map { $0.compactMap { $0["recordName"]?.stringValue } } ?? []
      var request = SubscriptionRequest(recordType: "Item")
      request.since = page["changeToken"]?.stringValue
      let stream = try await connection.subscribe(request)
      names += try await take(300 - names.count, of: stream).map(\.recordName)
      #expect(Set(names).count == 300 && names.count == 300)
    }
    try await writing.value
  }

  @Test("Records of megabytes are fetched and pushed whole", arguments: [1 << 20, 7 << 20])
  func large(size: Int) async throws {
    let connection = try Connection(to: address)
    let stream = try await connection.subscribe(SubscriptionRequest(recordType: "Item"))
    let text = JSONNode.string(String(repeating: "z", count: size))
    _ = try await connection.call("saveRecord", Self.record("large", [("t", text)]))
    let fetched = try await connection.call("fetchRecord", ["recordName": "large"])
    #expect(fetched["record"]?["fields"]?["t"]?.stringValue?.utf8.count == size)
    let change = try await take(1, of: stream).first
    #expect(change?.record?["fields"]?["t"]?.stringValue?.utf8.count == size)
    #expect(change?.isOwn == true)
  }

  @Test("A request that is too large for the service fails its call only")
  func tooLarge() async throws {
    let connection = try Connection(to: address)
    let text = String(repeating: "z", count: 17 << 20)
    do {
      _ = try await connection.call("echo", ["text": .string(text)])
      Issue.record("no error")
    } catch {
      guard case .rejected(let failure) = error else { throw error }
      #expect(failure.errorCode == "limitExceeded")
    }
    #expect(try await connection.call("echo", ["n": 1])["n"]?.int64Value == 1)
  }

  @Test("A reader that takes nothing for long reads everything afterwards, in order")
  func slowReader() async throws {
    var request = SubscriptionRequest(recordType: "Item")
    request.maximumBufferedPushes = 10
    let connection = try Connection(to: address)
    let stream = try await connection.subscribe(request)
    for number in 0..<100 {
      _ = try await connection.call("saveRecord", Self.record("n\(number)", []))
    }
    let names = try await take(100, of: stream).map(\.recordName)
    #expect(names == (0..<100).map { "n\($0)" })
  }
}
