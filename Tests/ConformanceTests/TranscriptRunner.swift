import InProcessService
import JSONRPC
import Testing

/// A connection to a service, however it is reached.
protocol TranscriptConnection: AnyObject {
  func send(_ message: [UInt8]) throws
  /// The next message, waiting for it.
  func receive() throws -> [UInt8]
}

/// Plays a transcript, and checks on the way that every message is as the protocol's document describes it.
struct TranscriptRunner {
  let transcript: Transcript
  let document: OpenRPCDocument
  let connect: () throws -> any TranscriptConnection

  private var connections: [String: any TranscriptConnection] = [:]
  private var captures = Captures()
  /// Methods of the requests that were sent, by connection and id.
  private var methods: [String: String] = [:]

  init(_ transcript: Transcript, connect: @escaping () throws -> any TranscriptConnection) throws {
    self.transcript = transcript
    self.connect = connect
    document = try OpenRPCDocument()
  }

  mutating func run() throws {
    for line in transcript.lines {
      let place: Comment = "\(transcript.name):\(line.number)"
      switch line.step {
      case .send(let message, let name):
        let filled = try captures.filled(message)
        note(filled, on: name)
        try connection(name).send(filled)
      case .expect(let pattern, let name):
        let message = try receive(on: name, place)
        let isMatch = captures.match(message, pattern)
        #expect(isMatch, "\(place): \(message) instead of \(pattern)")
        if !isMatch { return }
      case .expectInAnyOrder(var patterns, let name):
        for _ in patterns.indices {
          let message = try receive(on: name, place)
          let index = patterns.firstIndex { pattern in
            var trial = captures
            return trial.match(message, pattern)
          }
          guard let index else {
            Issue.record("\(place): \(message) instead of one of \(patterns)")
            return
          }
          _ = captures.match(message, patterns.remove(at: index))
        }
      }
    }
  }

  private mutating func connection(_ name: String) throws -> any TranscriptConnection {
    if let connection = connections[name] { return connection }
    let connection = try connect()
    connections[name] = connection
    return connection
  }

  private mutating func receive(on name: String, _ place: Comment) throws -> JSONNode {
    let bytes = try connection(name).receive()
    #expect(!bytes.contains(UInt8(ascii: "\n")), "\(place): more than one line")
    let message = JSONNode(try JSON(parsing: bytes))
    for single in message.elements {
      let method = single["id"].flatMap { methods["\(name) \($0)"] }
      #expect(document.faults(ofMessage: single, to: method) == [], place)
    }
    return message
  }

  private mutating func note(_ message: [UInt8], on name: String) {
    guard let json = try? JSON(parsing: message) else { return }
    for single in JSONNode(json).elements {
      if let id = single["id"], let method = single["method"]?.string { methods["\(name) \(id)"] = method }
    }
  }
}
