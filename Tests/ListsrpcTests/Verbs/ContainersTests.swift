import ServiceFixture
import Testing

struct ContainersTests {
  @Test("containers lists what there is, and deletes what is named")
  func containers() throws {
    let session = try ShellSession()
    try session.run("--container", "notes", "save", "Item", "v:=1")
    let lines = try session.lines("containers")
    #expect(lines.count == 2 && lines[1].contains(#""container":"notes""#))
    #expect(try session.terminal("containers").contains("notes: private 1 record, "))
    #expect(try session.lines("containers", "delete", "notes") == [#"{"container":"notes"}"#])
    #expect(try session.lines("containers").count == 1)
    #expect(try session.run("containers", "delete", "notes").ending.status != 0)
    #expect(try session.run("containers", "delete").ending.status == 2)
    #expect(try session.run("containers", "remove", "notes").ending.status == 2)
  }
}
