import Glibc
import ServiceFixture
import Testing

@testable import listsrpc

struct ExportFileTests {
  let shell: ShellSession
  let folder: TemporaryFolder

  init() throws {
    shell = try ShellSession()
    folder = try TemporaryFolder()
    _ = try shell.lines("save", "Item", "--name=a", "n:=1")
  }

  private func files() throws -> [String] {
    try runToEnd(["ls", folder.path]).outputText.split(separator: "\n").map(String.init)
  }

  @Test("A link's file is replaced, and a device written as it is; a disk that is full is told")
  func special() throws {
    try #require(symlink("\(folder.path)/real", "\(folder.path)/link") == 0)
    _ = try runToEnd(["touch", "\(folder.path)/real"])
    #expect(try shell.run("export", "Item", "-o", "\(folder.path)/link").ending.status == 0)
    #expect(try files() == ["link", "real"])
    #expect(try runToEnd(["grep", "-c", "Item", "\(folder.path)/real"]).outputText == "1\n")
    try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    let piped = try shell.bash(
      "listsrpc export Item -o '\(folder.path)/pipe' & head -c 13 '\(folder.path)/pipe'; wait")
    #expect(piped.outputText == #"{"recordType""#)
    #expect(try files() == ["link", "pipe", "real"])
  }

  @Test("What could not be written whole leaves the old file as it was, and nothing beside it")
  func full() throws {
    _ = try runToEnd(["bash", "-c", "printf old > '\(folder.path)/file'"])
    let run = try shell.bash("ulimit -f 0; trap '' XFSZ; listsrpc export Item -o '\(folder.path)/file'")
    #expect(run.ending.status == 1 && run.errorText.contains("can't write"))
    #expect(try files() == ["file"])
    #expect(try runToEnd(["cat", "\(folder.path)/file"]).outputText == "old")
  }
}
