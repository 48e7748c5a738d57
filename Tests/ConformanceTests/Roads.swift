import InProcessService
import JSONRPC
import ListsService
import ServiceFixture

/// The service in the test's own process, behind the framer that a connection has.
struct InProcessRoad {
  private let service = InProcessService()

  func connect() -> any TranscriptConnection { Connection(service.connect()) }

  private final class Connection: TranscriptConnection {
    private let client: InProcessClient
    private var framer = MessageFramer(maximumMessageBytes: 16 << 20)

    init(_ client: InProcessClient) { self.client = client }

    func send(_ message: [UInt8]) throws {
      (message + [UInt8(ascii: "\n")]).withUnsafeBytes { framer.append($0) }
      while let event = framer.next() { client.session.receive(event) }
    }

    func receive() throws -> [UInt8] { try client.receiveBytes() }
  }
}

/// A connection to a `listsd` that runs.
final class SocketRoad: TranscriptConnection {
  private let connection: LineConnection

  init(_ connection: LineConnection) { self.connection = connection }

  func send(_ message: [UInt8]) throws { try connection.send(message + [UInt8(ascii: "\n")]) }

  func receive() throws -> [UInt8] {
    guard let line = try connection.receiveLine() else {
      throw TranscriptFault(description: "the service closed the connection")
    }
    return Array(line.utf8)
  }
}

/// One run of `listsrpc call` for each request.
final class ListsrpcRoad: TranscriptConnection {
  private let socketPath: String
  private var replies: [[UInt8]] = []

  init(socketPath: String) { self.socketPath = socketPath }

  func send(_ message: [UInt8]) throws {
    let request = JSONNode(try JSON(parsing: message))
    var words = ["\(buildFolder)/listsrpc", "call", "--json", request["method"]?.text ?? ""]
    if let params = request["params"] { words.append(String(decoding: params.encoded(), as: UTF8.self)) }
    let run = try runToEnd(words, environment: ["LISTS_SOCKET": socketPath])
    let isResult = run.ending.status == 0
    let answer = JSONNode(try JSON(parsing: isResult ? run.output : run.errors))
    let reply: JSONNode = [
      "jsonrpc": "2.0", "id": request["id"] ?? .null, isResult ? "result" : "error": answer,
    ]
    replies.append(reply.encoded())
  }

  func receive() throws -> [UInt8] {
    guard !replies.isEmpty else { throw TranscriptFault(description: "listsrpc was not run") }
    return replies.removeFirst()
  }
}
