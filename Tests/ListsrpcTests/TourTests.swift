import Glibc
import ServiceFixture
import Testing

@Suite struct TourTests {
  @Test(
    "the tour of `make run` goes through, and leaves nothing behind",
    .enabled(
      if: access("/usr/bin/systemd-socket-activate", X_OK) == 0
        && access("/usr/share/iso-codes/json", R_OK) == 0,
      "needs systemd-socket-activate and Debian's iso-codes"))
  func tour() throws {
    let folder = try TemporaryFolder()
    let file = #filePath
    let root = file.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let run = try runToEnd(
      ["\(root)/Clients/Shell/examples/tour.sh", buildFolder],
      environment: ["TMPDIR": folder.path, "LISTS_SOCKET": nil])
    #expect(run.ending.status == 0)
    #expect(run.errorText == "")
    #expect(run.outputText.contains(#"{"saved":249,"failed":0}"#))
    #expect(run.outputText.contains(#""changedKeys":["motto"]"#))
    #expect(try runToEnd(["ls", "-A", folder.path]).outputText == "")
  }
}
