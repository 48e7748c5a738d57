import JSONRPC
import ListsClient
import ServiceFixture
import Synchronization
import Testing

private func token(_ event: ChangeEvent?) -> String? {
  switch event {
  case .changes(let batch): batch.changeToken
  case .reset(let token): "reset:" + token
  case nil: nil
  }
}

@Suite(.timeLimit(.minutes(5)))
struct ChangeStreamTests {
  @Test("Pushes right behind the reply are in the stream, in order, beside calls of the same connection")
  func order() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        let id = try server.receiveID(of: "subscribe")
        server.reply(to: id, #"{"subscriptionID":"1","changeToken":"0"}"#)
        for number in 1...50 { server.push("1", seq: number, token: "\(number)") }
        let call = try server.receiveID(of: "echo")
        server.push("1", seq: 51, token: "51")
        server.reply(to: call, "true")
        _ = try server.receive()
      })
    let stream = try await connection.subscribe(SubscriptionRequest(recordType: "Item"))
    #expect(try await connection.call("echo").boolValue == true)
    var events = stream.makeAsyncIterator()
    for number in 1...51 { #expect(token(try await events.next()) == "\(number)") }
    #expect(stream.changeToken == "51")
  }

  @Test("What a change says can be read")
  func contents() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        let request = try server.receive()
        #expect(request?["params"]?.text == #"{"recordType":"Item","predicate":"a = 1","sendInitial":true}"#)
        server.reply(to: request?["id"]?.text ?? "", #"{"subscriptionID":"1","changeToken":"0"}"#)
        server.push(
          "1", token: "1", #","initial":true"#,
          changes: #"[{"reason":"entered","recordType":"Item","recordName":"a","zoneName":"z","#
            + #""record":{"fields":{}},"changedKeys":["n"],"origin":{"userRecordName":"_0","isOwn":true}}]"#)
        _ = try server.receive()
      })
    var request = SubscriptionRequest(recordType: "Item", predicate: "a = 1")
    request.sendsInitial = true
    var events = try await connection.subscribe(request).makeAsyncIterator()
    guard case .changes(let batch) = try await events.next(), let change = batch.changes.first else {
      Issue.record("no change")
      return
    }
    #expect(batch.isInitial && !batch.isContinued)
    #expect(change.reason == "entered" && change.recordName == "a" && change.zoneName == "z")
    #expect(change.changedKeys == ["n"] && change.isOwn && change.record != nil)
    #expect(change.userRecordName == "_0")
  }

  @Test("A change of which it is no longer kept who made it names nobody")
  func unknownOrigin() throws {
    let json = try JSON(
      parsing:
        #"{"reason":"deleted","recordName":"a","from":0,"origin":{"userRecordName":null,"isOwn":false}}"#)
    let change = RecordChange(json: json)
    #expect(change.userRecordName == nil && !change.isOwn)
  }

  @Test("A reader that falls behind its bounds reads on from its last token and misses nothing")
  func overflow() async throws {
    let isFull = AsyncSignal()
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        var id = try server.receiveID(of: "subscribe")
        server.reply(to: id, #"{"subscriptionID":"1","changeToken":"0"}"#)
        for number in 1...10 { server.push("1", seq: number, token: "\(number)") }
        id = try server.receiveID(of: "echo")
        server.reply(to: id, "null")
        isFull.signal()
        _ = try server.receiveID(of: "unsubscribe")
        let again = try server.receive()
        #expect(again?["params"]?["since"]?.stringValue == "3")
        server.reply(to: again?["id"]?.text ?? "", #"{"subscriptionID":"2","changeToken":"10"}"#)
        server.push("1", token: "stale")
        server.push("2", token: "10")
        server.push("2", seq: 2, token: "11")
        _ = try server.receive()
      })
    var request = SubscriptionRequest(recordType: "Item")
    request.maximumBufferedPushes = 3
    let stream = try await connection.subscribe(request)
    _ = try await connection.call("echo")
    await isFull.wait()
    var events = stream.makeAsyncIterator()
    var tokens: [String?] = []
    for _ in 0..<5 { tokens.append(token(try await events.next())) }
    #expect(tokens == ["1", "2", "3", "10", "11"])
  }

  @Test("A stream of its own connection goes on after the service was restarted")
  func reconnect() async throws {
    let folder = try TemporaryFolder()
    let address = ServiceAddress(path: folder.path + "/s")
    try FakeServer.listen(
      at: address.path,
      [
        { server in
          server.reply(
            to: try server.receiveID(of: "subscribe"), #"{"subscriptionID":"1","changeToken":"a"}"#)
          server.push("1", token: "b")
        },
        { server in
          let request = try server.receive()
          #expect(request?["params"]?["since"]?.stringValue == "b")
          server.reply(to: request?["id"]?.text ?? "", #"{"subscriptionID":"1","changeToken":"b"}"#)
          server.push("1", token: "c")
          _ = try server.receive()
        },
      ])
    var events = try await Connection.subscribe(SubscriptionRequest(recordType: "Item"), to: address)
      .makeAsyncIterator()
    #expect(token(try await events.next()) == "b")
    #expect(token(try await events.next()) == "c")
  }

  @Test("An expired token is never tried twice: the reader is told to begin anew")
  func expired() async throws {
    let folder = try TemporaryFolder()
    let address = ServiceAddress(path: folder.path + "/s")
    try FakeServer.listen(
      at: address.path,
      [
        { server in
          server.reply(
            to: try server.receiveID(of: "subscribe"), #"{"subscriptionID":"1","changeToken":"a"}"#)
          server.push("1", token: "b", #","initial":true"#)
        },
        { server in
          let id = try server.receiveID(of: "subscribe")
          server.send(
            #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32005,"message":"Expired.","#
              + #""data":{"errorCode":"changeTokenExpired","changeToken":"f"}}}"#)
          let again = try server.receive()
          #expect(again?["params"]?["since"] == nil)
          #expect(again?["params"]?["sendInitial"]?.boolValue == true)
          server.reply(to: again?["id"]?.text ?? "", #"{"subscriptionID":"2","changeToken":"f"}"#)
          server.push("2", token: "g", #","initial":true"#)
          _ = try server.receive()
        },
      ])
    var request = SubscriptionRequest(recordType: "Item")
    request.sendsInitial = true
    var events = try await Connection.subscribe(request, to: address).makeAsyncIterator()
    #expect(token(try await events.next()) == "b")
    #expect(token(try await events.next()) == "reset:f")
    #expect(token(try await events.next()) == "g")
  }

  @Test("A resync push becomes a reset, and the stream goes on")
  func resync() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        server.reply(
          to: try server.receiveID(of: "subscribe"), #"{"subscriptionID":"1","changeToken":"a"}"#)
        server.push("1", token: "m", #","resync":true"#)
        server.push("1", token: "n")
        _ = try server.receive()
      })
    var events = try await connection.subscribe(SubscriptionRequest(recordType: "Item")).makeAsyncIterator()
    #expect(token(try await events.next()) == "reset:m")
    #expect(token(try await events.next()) == "n")
  }

  @Test("The service's reason ends the stream as an error, then there is nothing more")
  func ended() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        server.reply(
          to: try server.receiveID(of: "subscribe"), #"{"subscriptionID":"1","changeToken":"a"}"#)
        server.send(
          #"{"jsonrpc":"2.0","method":"subscriptionEnded","params":{"subscriptionID":"1","#
            + #""error":{"code":-32009,"message":"Gone.","data":{"errorCode":"zoneNotFound"}}}}"#)
        _ = try server.receive()
      })
    var events = try await connection.subscribe(SubscriptionRequest(recordType: "Item")).makeAsyncIterator()
    do {
      _ = try await events.next()
      Issue.record("no error")
    } catch {
      guard case .rejected(let failure) = error else { throw error }
      #expect(failure.errorCode == "zoneNotFound")
    }
    #expect(try await events.next() == nil)
  }

  @Test("A cancelled reader ends, and the service is told")
  func cancelled() async throws {
    let unsubscribed = AsyncSignal()
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        server.reply(
          to: try server.receiveID(of: "subscribe"), #"{"subscriptionID":"1","changeToken":"a"}"#)
        _ = try server.receiveID(of: "unsubscribe")
        unsubscribed.signal()
      })
    let stream = try await connection.subscribe(SubscriptionRequest(recordType: "Item"))
    let reader = Task {
      for try await _ in stream {}
    }
    reader.cancel()
    try await reader.value
    await unsubscribed.wait()
  }
}

/// Something that happens once, and that a task can wait for.
final class AsyncSignal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func signal() { continuation.finish() }

  func wait() async { for await _ in stream {} }
}
