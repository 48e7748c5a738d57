import Glibc
import JSONRPC
import ServiceFixture
import Testing

@Suite("listsd: signals")
struct SignalTests {
  @Test("SIGTERM answers all that was sent before it, then the connection ends")
  func terminate() throws {
    let service = try ListsdProcess()
    let connection = try service.connect()
    let count = 300
    // The last one is half sent: it is not accepted, and not answered.
    try connection.send((1...count).map { save("r\($0)", id: $0) }.joined() + "{\"jsonrpc\":")
    #expect(try connection.receiveJSON()["id"]?.int64Value == 1)
    let other = try service.connect()
    kill(service.processID, SIGTERM)
    for number in 2...count { #expect(try connection.receiveJSON()["id"]?.int64Value == Int64(number)) }
    #expect(try connection.receiveLine() == nil)
    #expect(try other.receiveLine() == nil)
    #expect(service.stop()?.status == 0)
    #expect(access(service.socketPath, F_OK) != 0)
    try service.start()
    #expect(
      try service.connect().ask("countRecords", "{\"recordType\":\"Item\"}")["result"]?["count"]?.int64Value
        == Int64(count))
  }

  @Test("SIGTERM does not wait for a client that reads nothing for longer than stopTimeout")
  func boundedTerminate() throws {
    let folder = try TemporaryFolder()
    try write("stopTimeout = 0\n", to: folder.path + "/lists.conf")
    let service = try ListsdProcess(
      arguments: ["--configuration", folder.path + "/lists.conf"], folder: folder)
    let connection = try service.connect()
    let text = String(repeating: "x", count: 100_000)
    for _ in 0..<8 { try connection.send(request("echo", "{\"text\":\"\(text)\"}")) }
    #expect(service.stop()?.status == 0)
  }

  @Test("SIGHUP reads the configuration anew; with an error in it the old one stays and the log says where")
  func reload() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/lists.conf"
    try write("maximumItems = 7\n", to: path)
    let service = try ListsdProcess(arguments: ["--configuration", path], folder: folder)
    let connection = try service.connect()
    func limit() throws -> Int64? {
      try connection.ask("serverInfo")["result"]?["limits"]?["maximumItems"]?.int64Value
    }
    func reload(until log: String) throws {
      kill(service.processID, SIGHUP)
      let deadline = ContinuousClock.now + .seconds(20)
      while !service.log(ofLast: 4000).contains(log) {
        guard ContinuousClock.now < deadline else { throw FixtureError("not in the log: \(log)") }
      }
    }
    #expect(try limit() == 7)
    try write("maximumItems = 8\n", to: path)
    try reload(until: "was read anew")
    #expect(try limit() == 8)
    try write("# longer\nmaximumItems = many\n", to: path)
    try reload(until: "lists.conf, line 2: 'maximumItems' takes a whole number")
    #expect(try limit() == 8)
  }
}
