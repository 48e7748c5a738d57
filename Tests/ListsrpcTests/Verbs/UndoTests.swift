import JSONRPC
import ServiceFixture
import Testing

struct UndoTests {
  private let session: ShellSession

  init() throws {
    session = try ShellSession()
    try session.run("save", "Lists", "--name", "home", "name=Home")
    try session.run(
      "save", "Item", "--name", "milk", "name=Milk",
      #"list:={"$reference":{"recordName":"home","action":"deleteSelf"}}"#)
  }

  @Test("What was deleted is listed, with what led to it, and comes back")
  func deletedAndRestored() throws {
    #expect(try session.run("deleted").outputText == "")
    #expect(try session.terminal("delete home").contains("Deleted home, and 1 that referred to it"))
    let lines = try session.lines("deleted")
    #expect(lines.count == 2)
    #expect(try session.lines("deleted", "--type", "Item").count == 1)
    #expect(try session.lines("deleted", "--limit", "1").count == 1)
    #expect(try session.lines("deleted", "--zone", "_defaultZone").count == 2)
    #expect(try session.run("deleted", "--zone", "other").ending.status == 1)
    let table = try session.terminal("deleted")
    #expect(table.contains("because of") && table.contains("milk"))
    #expect(
      try session.terminal("restore home --with-cascade").contains(
        "Restored home, and 1 that had gone with it"))
    #expect(try session.lines("query", "Item").count == 1)
    #expect(try session.run("restore", "home").ending.status != 0)
    #expect(try session.run("restore", "nobody").ending.status != 0)
    #expect(try session.run("restore", "home", "milk", "--tag", "1").ending.status == 2)
  }

  @Test("A record's versions are listed, and one is brought back by its tag")
  func history() throws {
    let first = try JSON(parsing: try session.lines("fetch", "milk")[0])["recordChangeTag"]?.stringValue
    for number in 0..<230 {
      try session.run("save", "Item", "--name", "milk", "v:=\(number % 3)", "--policy", "changedKeys")
    }
    let lines = try session.lines("history", "milk")
    #expect(lines.count == 231, "over several pages")
    #expect(lines.last?.contains(#""reason":"created""#) == true)
    #expect(try session.lines("history", "milk", "-n", "2").count == 2)
    #expect(try session.terminal("history milk -n 1").contains("v=1"))
    try session.run("restore", "milk", "--tag", try #require(first))
    let now = try session.lines("fetch", "milk")[0]
    #expect(now.contains(#""name":"Milk""#) && !now.contains(#""v":"#))
    #expect(try session.run("history", "nobody").ending.status != 0)
  }
}
