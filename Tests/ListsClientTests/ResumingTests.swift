import JSONRPC
import ListsClient
import ServiceFixture
import Testing

/// What happened, in short: tokens of pushes, resets.
private func summary(_ event: ChangeEvent?) -> String {
  switch event {
  case .changes(let batch): batch.changeToken + batch.changes.map { " " + $0.recordName }.joined()
  case .reset(let token): "reset:" + token
  case nil: "end"
  }
}

private func created(_ name: String, _ more: String = "") -> String { change("created", name, more) }

private func change(_ reason: String, _ name: String, _ more: String = "") -> String {
  #"[{"reason":"\#(reason)","recordType":"Item","recordName":"\#(name)","zoneName":"_defaultZone"\#(more),"#
    + #""record":{"recordType":"Item","recordName":"\#(name)","zoneName":"_defaultZone","fields":{}}}]"#
}

private let expired =
  #""error":{"code":-32005,"message":"Expired.","data":{"errorCode":"changeTokenExpired","changeToken":"f"}}"#

extension FakeServer {
  /// Answers a `subscribe`, whose parameters it returns.
  @discardableResult
  fileprivate func subscribe(as id: String = "1", token: String = "0") throws -> JSON? {
    let request = try receive()
    guard request?["method"]?.stringValue == "subscribe" else { throw FixtureError("subscribe was expected") }
    reply(to: request?["id"]?.text ?? "", #"{"subscriptionID":"\#(id)","changeToken":"\#(token)"}"#)
    return request?["params"]
  }

  fileprivate func end(_ id: String, reason: String) {
    send(
      #"{"jsonrpc":"2.0","method":"subscriptionEnded","params":{"subscriptionID":"\#(id)","reason":"\#(reason)"}}"#
    )
  }
}

@Suite(.timeLimit(.minutes(5)))
struct ResumingTests {
  private func events(
    _ count: Int, of request: SubscriptionRequest, from scripts: @Sendable (FakeServer) throws -> Void...
  ) async throws -> [String] {
    let folder = try TemporaryFolder()
    let address = ServiceAddress(path: folder.path + "/s")
    try FakeServer.listen(at: address.path, scripts)
    var iterator = try await Connection.subscribe(request, to: address).makeAsyncIterator()
    var events: [String] = []
    while events.count < count { events.append(summary(try await iterator.next())) }
    return events
  }

  private var initialItems: SubscriptionRequest {
    var request = SubscriptionRequest(recordType: "Item")
    request.sendsInitial = true
    return request
  }

  @Test("A service that ends before it has answered is asked again over another connection")
  func endedBeforeTheAnswer() async throws {
    let seen = try await events(
      2, of: initialItems,
      from: { server in _ = try server.receive() },
      { server in
        try server.subscribe()
        server.push("1", token: "1", #","initial":true"#, changes: created("a"))
        // In the middle of beginning anew, too.
        server.push("1", token: "5", #","resync":true"#)
      },
      { server in
        try server.subscribe()
        server.push("1", token: "6", #","initial":true"#, changes: created("b"))
      })
    #expect(seen == ["1 a", "reset:5"])
  }

  @Test("After a resync the records that the service sends again by itself follow, without another request")
  func resyncWithInitial() async throws {
    let seen = try await events(
      5, of: initialItems,
      from: { server in
        try server.subscribe()
        server.push("1", token: "1", #","initial":true"#, changes: created("a"))
        server.push("1", token: "5", #","resync":true"#)
        server.push("1", token: "5", #","initial":true,"moreComing":true"#, changes: created("b"))
        server.push("1", token: "5", #","initial":true"#, changes: created("c"))
        server.push("1", token: "6", changes: created("d"))
        guard try server.receive() == nil else { throw FixtureError("nothing is to be asked") }
      })
    #expect(seen == ["1 a", "reset:5", "5 b", "5 c", "6 d"])
  }

  @Test("A stream that went on from a token asks for the records when the service can only resync")
  func resyncAfterReconnecting() async throws {
    let seen = try await events(
      4, of: initialItems,
      from: { server in
        try server.subscribe()
        server.push("1", token: "1", #","initial":true"#, changes: created("a"))
      },
      { server in
        let params = try server.subscribe()
        #expect(params?["since"]?.stringValue == "1" && params?["sendInitial"] == nil)
        server.push("1", token: "5", #","resync":true"#)
        _ = try server.receiveID(of: "unsubscribe")
        #expect(try server.subscribe(as: "2")?["sendInitial"]?.boolValue == true)
        server.push("2", token: "5", #","initial":true"#, changes: created("b"))
        server.push("2", token: "6", changes: created("c"))
        _ = try server.receive()
      })
    #expect(seen == ["1 a", "reset:5", "5 b", "6 c"])
  }

  @Test("A noted token that has expired is not tried again: a reset, then the records, then what happens")
  func expiredAtTheStart() async throws {
    var request = initialItems
    request.since = "old"
    let seen = try await events(
      3, of: request,
      from: { server in
        let first = try server.receive()
        #expect(first?["params"]?["since"]?.stringValue == "old")
        server.send(#"{"jsonrpc":"2.0","id":\#(first?["id"]?.text ?? ""),\#(expired)}"#)
        let params = try server.subscribe()
        #expect(params?["since"] == nil && params?["sendInitial"]?.boolValue == true)
        server.push("1", token: "7", #","initial":true"#, changes: created("a"))
        server.push("1", token: "8", changes: created("b"))
        _ = try server.receive()
      })
    #expect(seen == ["reset:f", "7 a", "8 b"])
  }

  @Test("What becomes of initial records before all are told is a part of the beginning, and has no token")
  func changesBetweenInitialPages() async throws {
    let folder = try TemporaryFolder()
    let address = ServiceAddress(path: folder.path + "/s")
    let pages: @Sendable (FakeServer) -> Void = { server in
      let marks = #","initial":true,"moreComing":true"#
      for text in ["created a", "created b", "created c", "updated a", "deleted b", "left c"] {
        server.push("1", token: "p", marks, changes: change(String(text.dropLast(2)), String(text.suffix(1))))
      }
    }
    try FakeServer.listen(
      at: address.path,
      [
        { server in
          try server.subscribe()
          pages(server)
        },
        { server in
          #expect(try server.subscribe()?["since"] == nil)
          pages(server)
          server.push("1", token: "9", #","initial":true"#, changes: created("d"))
          server.push("1", token: "10", changes: created("e"))
          _ = try server.receive()
        },
      ])
    let stream = try await Connection.subscribe(initialItems, to: address)
    var iterator = stream.makeAsyncIterator()
    var (held, seen) = (LiveRecords(), [String]())
    while seen.count < 15, let event = try await iterator.next() {
      _ = held.apply(event)
      let names = held.records.keys.map(\.recordName).sorted().joined()
      let isReset = if case .reset = event { true } else { false }
      seen.append(isReset ? "reset" : "\(names) \(stream.changeToken ?? "-")")
    }
    let again = ["a -", "ab -", "abc -", "abc -", "ac -", "a -"]
    #expect(seen == again + ["reset", "a -"] + again[1...] + ["ad 9", "ade 10"])
  }

  @Test("Initial records that were interrupted come again behind a reset")
  func interruptedInitial() async throws {
    let seen = try await events(
      3, of: initialItems,
      from: { server in
        try server.subscribe()
        server.push("1", token: "x", #","initial":true,"moreComing":true"#, changes: created("a"))
      },
      { server in
        let params = try server.subscribe()
        #expect(params?["since"] == nil && params?["sendInitial"]?.boolValue == true)
        server.push("1", token: "9", #","initial":true"#, changes: created("b"))
        _ = try server.receive()
      })
    #expect(seen == ["x a", "reset:", "9 b"])
  }

  @Test("Within a divided commit the stream stands before it, and goes on from there")
  func divided() async throws {
    let seen = try await events(
      3, of: SubscriptionRequest(recordType: "Item"),
      from: { server in
        try server.subscribe()
        server.push("1", token: "3", changes: created("a"))
        server.push("1", token: "3", #","moreComing":true"#, changes: created("b"))
      },
      { server in
        #expect(try server.subscribe()?["since"]?.stringValue == "3")
        server.push("1", token: "4", changes: created("b"))
        _ = try server.receive()
      })
    #expect(seen == ["3 a", "3 b", "4 b"])
  }

  @Test("A window that was interrupted begins anew; it has no token to go on from")
  func window() async throws {
    var request = SubscriptionRequest(recordType: "Item")
    try request.sort(by: "name")
    request.resultsLimit = 2
    let seen = try await events(
      3, of: request,
      from: { server in
        let params = try server.subscribe()
        #expect(params?["resultsLimit"]?.int64Value == 2 && params?["sortDescriptors"]?.kind == .array)
        server.push("1", token: "1", #","initial":true"#, changes: created("a", #","to":0"#))
      },
      { server in
        #expect(try server.subscribe()?["since"] == nil)
        server.push("1", token: "2", #","initial":true"#, changes: created("b", #","to":0"#))
        _ = try server.receive()
      })
    #expect(seen == ["1 a", "reset:", "2 b"])
  }

  @Test("What fires once ends the stream, also when the connection is lost right behind it")
  func once() async throws {
    var request = SubscriptionRequest(recordType: "Item")
    request.firesOnce = true
    let told = try await events(
      3, of: request,
      from: { server in
        #expect(try server.subscribe()?["firesOnce"]?.boolValue == true)
        server.push("1", token: "1")
        server.push("1", token: "2", changes: created("a"))
        server.end("1", reason: "fired")
        _ = try server.receive()
      })
    #expect(told == ["1", "2 a", "end"])
    let lost = try await events(
      2, of: request,
      from: { server in
        try server.subscribe()
        server.push("1", token: "2", changes: created("a"))
      }, { _ in throw FixtureError("it must not come again") })
    #expect(lost == ["2 a", "end"])
  }

  @Test("A saved subscription is acknowledged push by push, and attached to again after an interruption")
  func saved() async throws {
    let folder = try TemporaryFolder()
    let address = ServiceAddress(path: folder.path + "/s")
    try FakeServer.listen(
      at: address.path,
      [
        { server in
          #expect(try server.subscribe(as: "mail")?.text == #"{"subscriptionID":"mail","container":"c"}"#)
          server.push("mail", token: "1", changes: created("a"))
          server.push("mail", token: "1", #","moreComing":true"#, changes: created("b"))
          let request = try server.receive()
          #expect(request?["method"]?.stringValue == "acknowledgeChanges")
          #expect(
            request?["params"]?.text == #"{"subscriptionID":"mail","changeToken":"1","container":"c"}"#)
          server.reply(to: request?["id"]?.text ?? "", "{}")
        },
        { server in
          #expect(try server.subscribe(as: "mail")?["since"] == nil)
          server.push("mail", token: "2", changes: created("b"))
          server.end("mail", reason: "attachedElsewhere")
          _ = try server.receive()
        },
      ])
    var request = SubscriptionRequest(subscriptionID: "mail")
    request.container = "c"
    let stream = try await Connection.subscribe(request, to: address)
    var seen: [String] = []
    do {
      while let event = try await stream.next() {
        seen.append(summary(event))
        if case .changes(let batch) = event, seen.count < 3 { try await stream.acknowledge(batch) }
      }
      Issue.record("no error")
    } catch {
      guard case .subscriptionEnded("attachedElsewhere") = error else { throw error }
    }
    #expect(seen == ["1 a", "1 b", "2 b"])
  }

  @Test("Fetched changes follow their pages; an expired token brings everything anew, once")
  func fetched() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        var asked: [String?] = []
        while let request = try server.receive(), let id = request["id"]?.text {
          let since = request["params"]?["since"]?.stringValue
          asked.append(since)
          switch since {
          case "old": server.send(#"{"jsonrpc":"2.0","id":\#(id),\#(expired)}"#)
          case nil:
            server.reply(
              to: id,
              #"{"changes":\#(created("a")),"changeToken":"p","moreComing":true,"deletedZones":["z"]}"#)
          default:
            server.reply(to: id, #"{"changes":[],"changeToken":"9","moreComing":false,"deletedZones":[]}"#)
          }
        }
        #expect(asked == ["old", nil, "p"])
      })
    var pages: [String] = []
    for try await page in connection.changePages(ChangesRequest(since: "old")) {
      pages.append("\(page.changeToken) \(page.isReset) \(page.changes.count) \(page.deletedZones)")
    }
    #expect(pages == [#"p true 1 ["z"]"#, "9 false 0 []"])
  }
}
