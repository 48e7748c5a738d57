import Glibc
import JSONRPC
import ListsClient
import Records
import ServiceFixture
import Testing

/// What users of other systems reported of live changes, each as it would have shown here.
@Suite("Faults reported of subscriptions")
struct SubscribeFaultsTests {
  let service: ListsdProcess
  let writer: LineConnection
  let subscriber: LineConnection

  init() throws {
    service = try ListsdProcess()
    writer = try service.connect()
    subscriber = try service.connect()
  }

  @Test("A record that stops matching is told as left, one that starts again as entered")
  func leavingIsTold() throws {
    try writer.save("a", #"{"g":"x"}"#)
    _ = try subscriber.result(of: "subscribe", #"{"recordType":"Item","predicate":"g == 'x'"}"#)
    try writer.save("a", #"{"g":"y"}"#)
    try writer.save("a", #"{"g":"y","n":1}"#)
    try writer.save("a", #"{"g":"x"}"#)
    _ = try writer.result(of: "deleteRecord", #"{"recordName":"a"}"#)
    let told = try (0..<3).flatMap { _ in try subscriber.receivePush().changeSummaries }
    #expect(told == ["left a", "entered a", "deleted a"])
    #expect(try subscriber.reply(to: "echo", "[1]")["result"]?.text == "[1]", "and nothing more")
  }

  @Test("A deletion is told to those whose filter the record matched, and to nobody else")
  func deletionsAreTold() throws {
    try writer.save("a", #"{"g":"x"}"#)
    try writer.save("b", #"{"g":"y"}"#)
    _ = try subscriber.result(of: "subscribe", #"{"recordType":"Item","predicate":"g == 'x'"}"#)
    _ = try writer.result(of: "deleteRecord", #"{"recordName":"b"}"#)
    _ = try writer.result(of: "deleteRecord", #"{"recordName":"a"}"#)
    #expect(try subscriber.receivePush().changeSummaries == ["deleted a"])
    #expect(try subscriber.reply(to: "echo", "[1]")["result"]?.text == "[1]", "and nothing more")
  }

  @Test("Nothing falls between a query and the stream that starts from its token")
  func noGapAfterAQuery() async throws {
    let path = service.socketPath
    let total = 2000
    let writing = Task.detached {
      let writer = try LineConnection(to: path)
      for number in 1...total { try writer.save("r\(number)", "{\"n\":\(number)}") }
    }
    for round in 0..<20 {
      let reader = try service.connect()
      let query = try reader.result(of: "performQuery", #"{"recordType":"Item","resultsLimit":1000}"#)
      let token = try #require(query["changeToken"]?.text)
      var names = Set(query.recordNames)
      var cursor = query["cursor"]
      while let position = cursor {
        let page = try reader.result(
          of: "performQuery", "{\"recordType\":\"Item\",\"resultsLimit\":1000,\"cursor\":\(position.text)}")
        names.formUnion(page.recordNames)
        cursor = page["cursor"]
      }
      _ = try reader.result(of: "subscribe", "{\"recordType\":\"Item\",\"since\":\(token)}")
      // A record saved now bounds the collection: all that came before it must have been told by then.
      let marker = try service.connect().save("marker", "{\"m\":\(round)}")
      let markerTag = try #require(marker["recordChangeTag"]?.stringValue)
      collecting: while true {
        let push = try reader.receivePush()
        for change in push["changes"].map({ Array($0.elements) }) ?? [] {
          names.insert(change["recordName"]?.stringValue ?? "?")
          if change["record"]?["recordChangeTag"]?.stringValue == markerTag { break collecting }
        }
      }
      let numbers = names.compactMap { $0.hasPrefix("r") ? Int($0.dropFirst()) : nil }
      #expect(numbers.count == numbers.max() ?? 0, "no hole below the newest")
    }
    try await writing.value
  }

  @Test("A token that has expired is said to be, with a fresh one, and a library then holds what there is")
  func expiredToken() async throws {
    let folder = try TemporaryFolder()
    try write("historyChanges = 1000\n", to: folder.path + "/lists.conf")
    let service = try ListsdProcess(
      arguments: ["--configuration", folder.path + "/lists.conf"], folder: folder)
    let writer = try service.connect()
    try writer.save("gone", #"{"n":0}"#)
    try writer.save("kept", #"{"n":0}"#)
    let held = try writer.result(of: "performQuery", #"{"recordType":"Item"}"#)
    _ = try writer.result(of: "deleteRecord", #"{"recordName":"gone"}"#)
    for round in 0..<3 {
      let operations = (0..<1000).map {
        #"{"operationType":"forceReplace","record":{"recordType":"Item","recordName":"r\#($0)","fields":{"n":\#(round)}}}"#
      }
      _ = try writer.result(of: "modifyRecords", #"{"operations":[\#(operations.joined(separator: ","))]}"#)
    }
    let token = try #require(held["changeToken"]?.stringValue)
    let error = try writer.error(of: "subscribe", #"{"recordType":"Item","since":"\#(token)"}"#)
    #expect(error["data"]?["errorCode"]?.stringValue == "changeTokenExpired")
    #expect(error["data"]?["reason"]?.stringValue == "pruned")
    let fresh = try #require(error["data"]?["changeToken"]?.stringValue)
    _ = try writer.result(of: "subscribe", #"{"recordType":"Item","since":"\#(fresh)"}"#)

    var request = SubscriptionRequest(recordType: "Item")
    request.since = token
    request.sendsInitial = true
    let stream = try await Connection.subscribe(request, to: ServiceAddress(path: service.socketPath))
    var records = LiveRecords(
      (held["records"].map { Array($0.elements) } ?? []).map(StoredRecord.init(body:)))
    #expect(records.records.count == 2)
    var gone: [String] = []
    while let event = try await stream.next() {
      gone += records.apply(event).gone.map(\.recordName)
      if case .changes(let batch) = event, batch.isInitial, !batch.isContinued { break }
    }
    #expect(gone == ["gone"])
    #expect(records.records.count == 1001)
  }

  @Test("One that stops reading holds up nobody, and gets all that it missed when it reads again")
  func slowSubscriber() throws {
    let folder = try TemporaryFolder()
    try write("maximumQueuedBytes = 64K\n", to: folder.path + "/lists.conf")
    let service = try ListsdProcess(
      arguments: ["--configuration", folder.path + "/lists.conf"], folder: folder)
    let subscribers = try (0..<20).map { _ in try service.connect() }
    for subscriber in subscribers { _ = try subscriber.result(of: "subscribe", #"{"recordType":"Item"}"#) }
    let writer = try service.connect()
    let text = String(repeating: "x", count: 1000)
    let total = 1500
    for number in 0..<total {
      try writer.save("r\(number % 50)", #"{"n":\#(number),"t":"\#(text)"}"#)
      // All but the first read as it comes.
      for subscriber in subscribers.dropFirst() {
        #expect(try subscriber.receivePush()["seq"]?.text == "\(number + 1)")
      }
    }
    var held: [String: String] = [:]
    var sequence = 0
    while held.values.contains("\(total - 1)") == false {
      let push = try subscribers[0].receivePush()
      sequence += 1
      #expect(push["seq"]?.text == "\(sequence)")
      for change in push["changes"].map({ Array($0.elements) }) ?? [] {
        held[change["recordName"]?.stringValue ?? ""] = change["record"]?["fields"]?["n"]?.text
      }
    }
    #expect(held.count == 50)
    #expect(sequence < total, "what it did not read was told at once")
  }
}

private func write(_ text: String, to path: String) throws {
  guard let file = fopen(path, "w") else { throw FixtureError("can't write \(path)") }
  defer { fclose(file) }
  guard fputs(text, file) >= 0 else { throw FixtureError("can't write \(path)") }
}
