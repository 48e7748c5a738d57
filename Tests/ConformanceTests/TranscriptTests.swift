import InProcessService
import JSONRPC
import ListsService
import ServiceFixture
import Testing

/// The transcripts of `Protocol/conformance`, on every road to the service.
struct TranscriptTests {
  @Test("Every file of the folder is a transcript")
  func filesCanBeRead() throws {
    let names = ProjectFiles.names(in: "Protocol/conformance", endingWith: ".jsonl")
    #expect(!names.isEmpty)
    for name in names { #expect(try !Transcript(file: name).lines.isEmpty, "\(name)") }
  }

  @Test("In process", arguments: Transcript.all)
  func inProcess(transcript: Transcript) throws {
    let service = InProcessService()
    var runner = try TranscriptRunner(transcript) { InProcessConnection(service.connect()) }
    try runner.run()
  }
}

private final class InProcessConnection: TranscriptConnection {
  private let client: InProcessClient
  private var framer = MessageFramer(maximumMessageBytes: 16 << 20)

  init(_ client: InProcessClient) { self.client = client }

  func send(_ message: [UInt8]) throws {
    (message + [UInt8(ascii: "\n")]).withUnsafeBytes { framer.append($0) }
    while let event = framer.next() { client.session.receive(event) }
  }

  func receive() throws -> [UInt8] { try client.receiveBytes() }
}
