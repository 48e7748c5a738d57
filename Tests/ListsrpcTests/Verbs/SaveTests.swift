import JSONRPC
import ServiceFixture
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SaveTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  private func record(_ run: [String]) throws -> JSON { try JSON(parsing: run.first ?? "") }

  @Test("Assignments become fields of their types, and the saved record is one line of JSON")
  func types() throws {
    let saved = try record(
      shell.lines(
        "save", "Item", "--name=a", "text=1", "number:=1", "list:=[\"x\"]", "ratio:=1.0", "yes:=true"))
    #expect(saved["recordName"]?.stringValue == "a")
    #expect(saved["fields"]?.text == #"{"text":"1","number":1,"list":["x"],"ratio":1.0,"yes":true}"#)
    #expect(try record(shell.lines("fetch", "a")).text == saved.text)
  }

  @Test("A record that exists is refused with 5, its tag and what to do; a tag or a policy lets it through")
  func conflict() throws {
    let first = try record(shell.lines("save", "Item", "--name=a", "n:=1", "m:=1"))
    let refused = try shell.run("save", "Item", "--name=a", "n:=2")
    #expect(refused.ending.status == 5)
    #expect(refused.output.isEmpty)
    let tag = first["recordChangeTag"]?.stringValue ?? ""
    #expect(refused.errorText.contains("'\(tag)'") && refused.errorText.contains("--policy changedKeys"))
    #expect(
      try record(shell.lines("save", "Item", "--name=a", "n:=2", "--tag", tag))["fields"]?.text == #"{"n":2}"#
    )
    #expect(try shell.run("save", "Item", "--name=a", "n:=3", "--tag", tag).ending.status == 5)
    let merged = try record(shell.lines("save", "Item", "--name=a", "m:=4", "-p", "changedKeys"))
    #expect(merged["fields"]?.text == #"{"n":2,"m":4}"#)
  }

  @Test("Records that were printed are saved again from standard input")
  func standardInput() throws {
    _ = try shell.lines("save", "Item", "--name=a", "n:=1")
    let changed = try shell.bash("listsrpc fetch a | sed 's/\"n\":1/\"n\":2/' | listsrpc save -")
    #expect(changed.ending.status == 0)
    #expect(try record(shell.lines("fetch", "a"))["fields"]?.text == #"{"n":2}"#)
    let several = try shell.lines(
      "save", "-", input: "{\"recordType\":\"Item\",\n \"recordName\":\"b\"}\n{\"recordType\":\"Item\"}\n")
    #expect(several.count == 2)
    let onOneLine = try shell.lines("save", "-", input: "{\"recordType\":\"Item\"} {\"recordType\":\"Item\"}")
    #expect(onOneLine.count == 2)
  }

  @Test("With --json an error is its object on standard error")
  func jsonErrors() throws {
    _ = try shell.lines("save", "Item", "--name=a", "n:=1")
    let refused = try shell.run("--json", "save", "Item", "--name=a", "n:=2")
    #expect(try JSON(parsing: refused.errorText)["data"]?["errorCode"]?.stringValue == "serverRecordChanged")
    #expect(refused.ending.status == 5)
  }

  @Test("A missing record ends with 4; those that are there are printed or deleted all the same")
  func missing() throws {
    _ = try shell.lines("save", "Item", "--name=a")
    _ = try shell.lines("save", "Item", "--name=b")
    let fetched = try shell.run("fetch", "a", "nobody", "b")
    #expect(fetched.ending.status == 4)
    #expect(fetched.outputText.split(separator: "\n").count == 2)
    #expect(fetched.errorText.contains("nobody"))
    let deleted = try shell.run("delete", "nobody", "a")
    #expect(deleted.ending.status == 4)
    #expect(try shell.run("fetch", "a").ending.status == 4)
    #expect(try shell.run("delete", "a", "--ignore-missing").ending.status == 0)
  }

  @Test("A record that changed is not deleted, and its tag of now is said")
  func conflictOfDeletion() throws {
    let tag = try record(shell.lines("save", "Item", "--name=a"))["recordChangeTag"]?.stringValue ?? ""
    let refused = try shell.run("delete", "a", "--tag", tag + "x")
    #expect(refused.ending.status == 5)
    #expect(refused.errorText.contains("'\(tag)'"))
    #expect(try shell.run("delete", "a", "--tag", tag).ending.status == 0)
  }

  @Test("A command line that can't be understood ends with 2 and says how to get help, before any connection")
  func usage() throws {
    for words in [
      ["save"], ["save", "Item", "nothing"], ["save", "Item", "a=1", "a=2"], ["save", "-", "a=1"],
    ] {
      let run = try shell.bash("listsrpc --socket /nonexistent " + words.joined(separator: " "))
      #expect(run.ending.status == 2)
      #expect(run.errorText.contains("Try 'listsrpc save --help'"))
    }
  }

  @Test("A service that can't be reached ends with 3 and says what to do")
  func unreachable() throws {
    let run = try shell.run("--socket", "/nonexistent/lists.sock", "status")
    #expect(run.ending.status == 3)
    #expect(run.errorText.contains("/nonexistent/lists.sock"))
    #expect(run.errorText.contains("systemctl --user"))
    #expect(run.output.isEmpty)
  }

  @Test("A record on a terminal is a card; what would steer the terminal is escaped")
  func card() throws {
    let text = try shell.terminal("save Item --name a 'text=x\u{1B}[2Jy' n:=3")
    #expect(text.contains("  text  x\\u001b[2Jy\n"))
    #expect(text.contains("  n     3\n"))
  }

  @Test("Any method can be called, by name and by position, and --container is added")
  func call() throws {
    #expect(try shell.lines("call", "echo", "[1,{\"a\":2.0}]") == [#"[1,{"a":2.0}]"#])
    #expect(try shell.lines("call", "echo", "-", input: "{\n\"a\": 1\n}").count == 1)
    #expect(try shell.lines("call", "echo") == ["null"])
    let info = try record(shell.lines("--container", "other", "call", "serverInfo"))
    #expect(info["container"]?.stringValue == "other")
    #expect(try shell.run("call", "noSuchMethod").ending.status == 1)
    #expect(try shell.run("call", "echo", "{").ending.status == 2)
  }

  @Test("Text where another type is asked for is told apart from JSON")
  func text() throws {
    try shell.run("save", "Item", "--name", "milk", "quantity:=2")
    let run = try shell.run("save", "Item", "--name", "milk", "quantity=3", "--policy", "changedKeys")
    #expect(run.ending.status != 0 && run.errorText.contains("quantity:=… is any JSON value"))
  }
}
