import JSONRPC
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
}
