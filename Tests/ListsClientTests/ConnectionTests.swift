import JSONRPC
import ListsClient
import ServiceFixture
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
  @Test("Replies in reverse order reach the calls that they answer")
  func reversed() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        var requests: [(String, String)] = []
        while requests.count < 100, let request = try server.receive() {
          requests.append((request["id"]?.text ?? "", request["params"]?.text ?? ""))
        }
        for (id, params) in requests.reversed() { server.reply(to: id, params) }
      })
    let answers = await withTaskGroup(of: (Int64, Int64?).self) { group in
      for number in 0..<100 as Range<Int64> {
        group.addTask {
          let text = String(repeating: "x", count: Int(number) * 97)
          let reply = try? await connection.call("echo", ["number": .int(number), "text": .string(text)])
          return (number, reply?["number"]?.int64Value)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 100)
    #expect(answers.allSatisfy { $0.0 == $0.1 })
  }

  @Test("Unknown ids, ids of another type and what is no reply are logged and answer nobody")
  func unknownIDs() async throws {
    let log = Mutex<[String]>([])
    var options = Connection.Options()
    options.log = { line in log.withLock { $0.append(line) } }
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        let id = try server.receiveID(of: "echo")
        server.reply(to: "99", "\"wrong\"")
        server.reply(to: "\"\(id)\"", "\"wrong\"")
        server.reply(to: "\(id).0", "\"wrong\"")
        server.reply(to: "null", "\"wrong\"")
        server.send("not JSON")
        server.send(#"{"jsonrpc":"2.0","method":"unheardOf","params":{"subscriptionID":"7"}}"#)
        server.push("7", token: "t")
        server.reply(to: id, "\"right\"")
      }, options: options)
    #expect(try await connection.call("echo").stringValue == "right")
    #expect(log.withLock { $0.count } == 7)
  }

  @Test("An error is a value with its name, its data and when to try again")
  func errors() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        let id = try server.receiveID(of: "saveRecord")
        server.send(
          #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32012,"message":"Busy.","#
            + #""data":{"errorCode":"storeBusy","retryAfter":0.5}}}"#)
      })
    do {
      _ = try await connection.call("saveRecord", [:])
      Issue.record("no error")
    } catch {
      guard case .rejected(let failure) = error else { throw error }
      #expect(failure.code == -32012)
      #expect(failure.errorCode == "storeBusy")
      #expect(failure.retryAfter == 0.5)
      #expect("\(error)" == "Busy.")
    }
  }

  @Test("An error without an id is for the oldest call that isn't answered")
  func errorWithoutID() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        server.reply(to: try server.receiveID(of: "echo"), "1")
        _ = try server.receiveID(of: "echo")
        server.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"Too large."}}"#)
        server.reply(to: try server.receiveID(of: "echo"), "3")
      })
    #expect(try await connection.call("echo").int64Value == 1)
    await #expect(throws: ClientError.self) { try await connection.call("echo") }
    #expect(try await connection.call("echo").int64Value == 3)
  }

  @Test("A reply of many megabytes arrives whole; one beyond the limit fails its call only")
  func large() async throws {
    var options = Connection.Options()
    options.maximumMessageBytes = 20 << 20
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        for count in [19 << 20, 21 << 20, 1] {
          let id = try server.receiveID(of: "echo")
          server.reply(to: id, "\"" + String(repeating: "y", count: count) + "\"")
        }
      }, options: options)
    #expect(try await connection.call("echo").stringValue?.utf8.count == 19 << 20)
    do {
      _ = try await connection.call("echo")
      Issue.record("no error")
    } catch {
      guard case .replyTooLarge(20_971_520) = error else { throw error }
      #expect("\(error)".contains("too large"))
    }
    #expect(try await connection.call("echo").stringValue == "y")
  }

  @Test("A large request doesn't wait for a server that is busy writing")
  func bothWays() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        server.send(#"{"jsonrpc":"2.0","id":"x","result":"\#(String(repeating: "z", count: 4 << 20))"}"#)
        while let request = try server.receive(), let id = request["id"]?.text {
          server.reply(to: id, "\(request["params"]?.text.utf8.count ?? 0)")
        }
      })
    let text = String(repeating: "w", count: 4 << 20)
    async let first = connection.call("echo", [.string(text)])
    async let second = connection.call("echo", [.string(text)])
    #expect(try await first.int64Value == 4 << 20 + 4)
    #expect(try await second.int64Value == 4 << 20 + 4)
  }

  @Test("When the service closes, calls without a reply fail and say so, and later ones at once")
  func lost() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in _ = try server.receive() })
    for _ in 0..<2 {
      do {
        _ = try await connection.call("echo")
        Issue.record("no error")
      } catch {
        guard case .connectionLost = error else { throw error }
      }
    }
  }

  @Test("A cancelled call ends at once and its late reply is ignored")
  func cancelled() async throws {
    let connection = try Connection(
      descriptor: FakeServer.run { server in
        let first = try server.receiveID(of: "slow")
        let second = try server.receiveID(of: "echo")
        server.reply(to: first, "1")
        server.reply(to: second, "2")
      })
    let call = Task { try await connection.call("slow") }
    call.cancel()
    do {
      _ = try await call.value
      Issue.record("no error")
    } catch let error as ClientError {
      guard case .cancelled = error else { throw error }
    }
    #expect(try await connection.call("echo").int64Value == 2)
  }

  @Test("Nothing listening there is told with what to do")
  func unreachable() throws {
    let folder = try TemporaryFolder()
    do {
      _ = try Connection(to: ServiceAddress(path: folder.path + "/none.sock"))
      Issue.record("no error")
    } catch {
      guard case .unreachable(let problem) = error else { throw error }
      #expect(problem.reason.contains("none.sock"))
      #expect(problem.advice.contains("systemctl --user"))
    }
  }
}
