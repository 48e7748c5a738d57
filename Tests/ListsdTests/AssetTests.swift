import CLinux
import Files
import Glibc
import JSONRPC
import ServiceFixture
import Synchronization
import Testing

@Suite("listsd: assets")
struct AssetTests {
  private func file(_ content: String) throws -> OwnedDescriptor {
    let file = OwnedDescriptor(clinux_memory_file("test"))
    try #require(write(file.rawValue, content, content.utf8.count) == content.utf8.count)
    return file
  }

  private func saving(_ content: String, id: Int = 1) -> String {
    request("saveAsset", "{\"size\":\(content.utf8.count),\"descriptor\":true}", id: id)
  }

  private func checksum(_ content: String) -> String {
    SHA256.text(of: SHA256.digest(of: Array(content.utf8)))
  }

  private func openDescriptors(of service: ListsdProcess) -> Int {
    guard let folder = opendir("/proc/\(service.processID)/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }

  /// Returns once that many are open; closing is done elsewhere.
  private func waitForDescriptors(_ count: Int, of service: ListsdProcess) throws {
    let deadline = time(nil) + 20
    while openDescriptors(of: service) != count {
      guard time(nil) < deadline else {
        throw FixtureError("\(openDescriptors(of: service)) are open, and not \(count)")
      }
      sched_yield()
    }
  }

  @Test("whatever descriptors come, wanted or not, none stays open")
  func leaks() throws {
    let service = try ListsdProcess()
    let connection = try service.connect()
    let echo = request("echo", "[1]")
    let fifo = "\(service.folder.path)/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    let pipe = try #require(OwnedDescriptor(opening: fifo, O_RDWR))
    let (hello, other) = (try file("hello"), try file("other"))
    try connection.send(saving("hello"), passing: [hello.rawValue])
    #expect(try connection.receiveJSON()["result"]?["asset"] != nil)
    let before = openDescriptors(of: service)
    for _ in 0..<50 {
      try connection.send(echo, passing: [hello.rawValue])
      #expect(try connection.receiveJSON()["result"] != nil)
      try connection.send(saving("hello"), passing: [hello.rawValue, other.rawValue])
      #expect(try connection.receiveJSON()["error"] != nil)
      try connection.send(saving("hello"), passing: Array(repeating: other.rawValue, count: 253))
      #expect(try connection.receiveJSON()["error"] != nil)
      try connection.send(saving("hello"), passing: [pipe.rawValue])
      #expect(try connection.receiveJSON()["error"] != nil)
      try connection.send(saving("other"), passing: [other.rawValue])
      #expect(try connection.receiveJSON()["result"]?["asset"]?["size"]?.int64Value == 5)
      try connection.send("no JSON\n", passing: [other.rawValue])
      #expect(try connection.receiveJSON()["error"] != nil)
      try connection.send(
        request("fetchAsset", "{\"checksum\":\"\(checksum("other"))\",\"descriptor\":true}"))
      #expect(try connection.receiveJSON()["result"]?["size"]?.int64Value == 5)
    }
    #expect(connection.passed.count == 50)
    for _ in 0..<20 {
      let leaving = try service.connect()
      try leaving.send(saving("other"), passing: [other.rawValue])
      try leaving.send("{\"unfinished\":", passing: [hello.rawValue])
    }
    try waitForDescriptors(before, of: service)
  }

  @Test("in a pipeline over the socket each request gets its own file, also where none is expected between")
  func pipeline() throws {
    let service = try ListsdProcess()
    let connection = try service.connect()
    for number in 0..<100 {
      let content = "file \(number)"
      try connection.send(request("echo", "[\(number)]", id: number))
      let file = try file(content)
      try withExtendedLifetime(file) {
        try connection.send(saving(content, id: number), passing: [file.rawValue])
      }
    }
    for number in 0..<100 {
      #expect(try connection.receiveJSON()["result"]?.text == "[\(number)]")
      let reply = try connection.receiveJSON()
      #expect(reply["result"]?["asset"]?["checksum"]?.stringValue == checksum("file \(number)"))
    }
  }

  @Test("while large files are copied, others are answered at once")
  func loopStaysFree() throws {
    let service = try ListsdProcess()
    let large = OwnedDescriptor(clinux_memory_file("large"))
    let size = 200 << 20
    try #require(ftruncate(large.rawValue, size) == 0)
    let (busy, quick) = (try service.connect(patience: 120_000), try service.connect())
    try busy.send(
      request("saveAsset", "{\"size\":\(size),\"descriptor\":true}"), passing: [large.rawValue])
    var answered = 0
    var waiting = pollfd(fd: busy.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, 0) == 0 {
      #expect(try quick.ask("saveRecord", "{\"record\":{\"recordType\":\"Item\"}}")["result"] != nil)
      answered += 1
    }
    #expect(try busy.receiveJSON()["result"]?["asset"]?["size"]?.int64Value == Int64(size))
    // Hashing and writing that much takes some hundred times as long as a save.
    #expect(answered > 10)
  }

  @Test("after kill -9 at any moment every acknowledged asset is whole, and nothing else is left")
  func kill() throws {
    let service = try ListsdProcess()
    var acknowledged: Set<String> = []
    for round in 0..<12 {
      let connections = try (0..<4).map { _ in try service.connect() }
      for (index, connection) in connections.enumerated() {
        for number in 0..<20 {
          let content = String(repeating: "\(round)-\(index)-\(number) ", count: 3000)
          let file = try file(content)
          try withExtendedLifetime(file) {
            try connection.send(saving(content), passing: [file.rawValue])
          }
        }
      }
      for turn in 0..<(5 * round) {
        let reply = try connections[turn % 4].receiveJSON()
        acknowledged.insert(try #require(reply["result"]?["asset"]?["checksum"]?.stringValue))
      }
      service.stop(SIGKILL)
      try service.start()
    }
    let connection = try service.connect()
    for checksum in acknowledged {
      let part = try connection.ask("fetchAsset", "{\"checksum\":\"\(checksum)\",\"descriptor\":true}")
      #expect(part["result"] != nil)
      let passed = try #require(connection.passed.last)
      var bytes = [UInt8](repeating: 0, count: Int(part["result"]?["size"]?.int64Value ?? 0))
      #expect(pread(passed.rawValue, &bytes, bytes.count, 0) == bytes.count)
      #expect(SHA256.text(of: SHA256.digest(of: bytes)) == checksum)
    }
    try waitForNoLeftovers(service)
  }

  /// The start's sweep works in the background.
  private func waitForNoLeftovers(_ service: ListsdProcess) throws {
    let script =
      "cd '\(service.stateDirectory)/default'; ls *.assets/new; "
      + "ls *.assets/[0-9a-f][0-9a-f] | grep -v : | grep . | sort > files; "
      + "python3 -c \"import sqlite3,glob;c=sqlite3.connect(glob.glob('*.db')[0]);"
      + "print(*[r[0] for r in c.execute('select checksum from asset order by 1')],sep='\\n')\" | diff files -"
    let deadline = time(nil) + 20
    while true {
      let run = try runToEnd(["bash", "-c", script])
      if run.output.isEmpty, run.errors.isEmpty { return }
      guard time(nil) < deadline else {
        throw FixtureError("left: \(run.outputText.prefix(500)) \(run.errorText)")
      }
    }
  }
}
