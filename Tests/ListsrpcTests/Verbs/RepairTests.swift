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
    #expect(try shell.run("repair", "--dry-run").ending.status == 0)
    #expect(try keptFiles() == 0)
    let run = try shell.run("repair")
    #expect(run.ending.status == 0)
    #expect(run.outputText.contains(#""numberOfRecords":500"#))
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
    let content = try runToEnd(["grep", "-abo", "-m", "1", #""recordName":"n250""#, path]).outputText
    let place = try #require(Int(content.prefix { $0 != ":" }))
    #expect(place < size)
    try damage(from: place / 4096)
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
}
