import Glibc
import JSONRPC
import ServiceFixture
import Testing

struct RepairTests {
  private let shell: ShellSession
  private var path: String { "\(shell.service.stateDirectory)/default/private-\(getuid()).db" }

  init() throws { shell = try ShellSession() }

  /// Puts zeros in the place of these pages of the file. Its log has been copied, and would bring them back.
  private func damage(from page: Int, count: Int = 1) throws {
    _ = try runToEnd(["rm", "-f", "\(path)-wal", "\(path)-shm"])
    let run = try runToEnd([
      "dd", "if=/dev/zero", "of=\(path)", "bs=4096", "seek=\(page)", "count=\(count)", "conv=notrunc",
    ])
    #expect(run.ending.status == 0)
  }

  private func keptFiles() throws -> Int {
    let names = try runToEnd(["ls", "\(shell.service.stateDirectory)/default"]).outputText
    return names.split(separator: "\n").filter { $0.contains(".replaced-") && $0.hasSuffix(".db") }.count
  }

  @Test("A database without damage is left alone; with --force it is made anew, record by record the same")
  func sound() throws {
    try shell.seed(50)
    let before = try shell.lines("export")
    #expect(try shell.terminal("repair").contains("no problem: nothing was changed"))
    #expect(try keptFiles() == 0)
    #expect(try shell.terminal("repair --force").contains("50 records were taken over, none lost"))
    #expect(try shell.lines("export").sorted() == before.sorted())
    #expect(try keptFiles() == 1)
    #expect(try shell.run("check").ending.status == 0)
  }

  @Test("A file that says no more what is in it is repaired while the service runs")
  func firstPage() throws {
    try shell.seed(500)
    let before = try shell.lines("export")
    shell.service.stop()
    try damage(from: 0)
    try shell.service.start()
    #expect(try shell.run("query", "Item").ending.status != 0)
    // Of what else was declared nobody can say whether it is all.
    #expect(try shell.run("repair", "--dry-run").ending.status == 1)
    #expect(try keptFiles() == 0)
    let run = try shell.run("repair")
    #expect(run.ending.status == 1)
    #expect(run.outputText.contains(#""numberOfRecords":500,"lost":[],"numberOfLost":0"#))
    #expect(run.outputText.contains(#"{"part":"records","kept":500,"isWhole":true}"#))
    #expect(try shell.lines("export").sorted() == before.sorted())
    #expect(try shell.run("check").ending.status == 0)
    #expect(try keptFiles() == 1)
    #expect(try shell.run("save", "Item", "--name", "new").ending.status == 0)
  }

  @Test("What stood on a damaged page is lost and named, and the rest goes on, over a stop, too")
  func records() throws {
    try shell.seed(500)
    shell.service.stop()
    let size = try Int(runToEnd(["stat", "-c", "%s", path]).outputText.filter(\.isNumber)) ?? 0
    let page = try page(of: "n250")
    #expect(page * 4096 < size)
    try damage(from: page)
    try shell.service.start()
    let run = try shell.run("repair")
    let reply = try JSON(parsing: run.outputText)
    let lost = try #require(reply["numberOfLost"]?.int64Value)
    let kept = try #require(reply["numberOfRecords"]?.int64Value)
    #expect(run.ending.status == (lost > 0 ? 1 : 0))
    #expect(kept > 400 && kept < 500 && kept + lost == 500)
    #expect(reply["lost"].map { $0.elements.contains { $0.stringValue == "n250" } } == true)
    shell.service.stop()
    try shell.service.start()
    #expect(try shell.lines("query", "Item").count == Int(kept))
    #expect(try shell.run("check").ending.status == 0)
  }

  @Test("What is damaged while the service runs is repaired without a restart; watchers go on, keys answer")
  func running() throws {
    try shell.seed(500)
    _ = try shell.run("delete", "n7")
    let connection = try shell.service.connect()
    let save =
      #"{"record":{"recordType":"Item","recordName":"keyed","fields":{}},"idempotencyKey":"k"}"#
    let first = try call(connection, "saveRecord", save).text
    _ = try call(connection, "subscribe", #"{"recordType":"Item"}"#)
    // So that the file has it all, and the log nothing of it.
    #expect(try shell.run("repair", "--force").ending.status == 0)
    try damage(page: try page(of: "n250"))
    #expect(try shell.run("check").ending.status == 1)
    let run = try shell.run("repair")
    let reply = try JSON(parsing: run.outputText)
    #expect(run.ending.status == 1 && reply["isRepaired"]?.boolValue == true, "\(run.errorText)")
    let kept = try #require(reply["numberOfRecords"]?.int64Value)
    #expect(kept > 400 && kept + (reply["numberOfLost"]?.int64Value ?? 0) == 500)
    #expect(try shell.run("check").ending.status == 0)
    var isToldToResync = false
    let again = try call(connection, "saveRecord", save) { push in
      if push["params"]?["resync"]?.boolValue == true { isToldToResync = true }
    }
    #expect(again.text == first && isToldToResync)
    #expect(try call(connection, "countRecords", #"{"recordType":"Item"}"#)["count"]?.int64Value == kept)
    #expect(try call(connection, "restoreRecord", #"{"recordName":"n7"}"#)["record"] != nil)
    #expect(try keptFiles() == 2)
  }

  /// Calls a method, and gives its result; what is pushed meanwhile goes to `pushed`.
  private func call(
    _ connection: LineConnection, _ method: String, _ params: String, pushed: (JSON) -> Void = { _ in }
  ) throws -> JSON {
    try connection.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"# + "\n")
    while true {
      let line = try #require(try connection.receiveLine())
      let message = try JSON(parsing: line)
      if message["id"] != nil { return try #require(message["result"], "\(message.text)") }
      pushed(message)
    }
  }

  /// Where the record is in the file.
  private func page(of name: String) throws -> Int {
    let content = try runToEnd(["grep", "-abo", "-m", "1", "\"recordName\":\"\(name)\"", path]).outputText
    return try #require(Int(content.prefix { $0 != ":" })) / 4096
  }

  /// Whatever the service is doing.
  private func damage(page: Int) throws {
    let run = try runToEnd([
      "dd", "if=/dev/zero", "of=\(path)", "bs=4096", "seek=\(page)", "count=1", "conv=notrunc",
    ])
    #expect(run.ending.status == 0)
  }

  @Test("A service that is killed while it repairs has the old file or the new one, whole")
  func kill() throws {
    try shell.seed(400)
    let before = try shell.lines("export").sorted()
    let state = shell.service.stateDirectory + "/default"
    for sign in [".new-repair", ".replaced-", ".new-repair", ""] {
      let known = Set(try files(in: state))
      let process = try spawn([shell.program, "repair", "--force"], environment: shell.environment)
      var isOver = false
      while !isOver {
        isOver = waitpid(process, nil, WNOHANG) != 0
        if !sign.isEmpty, try files(in: state).contains(where: { $0.contains(sign) && !known.contains($0) }) {
          break
        }
      }
      shell.service.stop(SIGKILL)
      if !isOver { _ = waitForEnd(of: process) }
      try shell.service.start()
      #expect(try shell.lines("export").sorted() == before)
      #expect(try shell.run("check").ending.status == 0)
      #expect(try !files(in: state).contains { $0.contains(".new-") })
    }
  }

  private func files(in folder: String) throws -> [String] {
    try runToEnd(["ls", folder]).outputText.split(separator: "\n").map(String.init)
  }
}
