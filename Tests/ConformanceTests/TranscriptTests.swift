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
    let road = InProcessRoad()
    var runner = try TranscriptRunner(transcript) { road.connect() }
    try runner.run()
  }

  @Test("Over the socket", arguments: Transcript.all)
  func overTheSocket(transcript: Transcript) throws {
    let listsd = try ListsdProcess()
    var runner = try TranscriptRunner(transcript) { SocketRoad(try listsd.connect()) }
    try runner.run()
    #expect(listsd.stop()?.status == 0)
  }

  @Test("Through listsrpc", arguments: Transcript.all.filter(\.isPlain))
  func throughListsrpc(transcript: Transcript) throws {
    let listsd = try ListsdProcess()
    var runner = try TranscriptRunner(transcript) { ListsrpcRoad(socketPath: listsd.socketPath) }
    try runner.run()
  }
}
