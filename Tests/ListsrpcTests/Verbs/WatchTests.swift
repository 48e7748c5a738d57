import Glibc
import JSONRPC
import ServiceFixture
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WatchTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  private func reasonAndName(_ line: String?) throws -> String {
    let change = try JSON(parsing: line ?? "null")
    return (change["reason"]?.stringValue ?? "") + " " + (change["recordName"]?.stringValue ?? "")
  }

  @Test("What matches is told from the first record on, each change in a line of its own at once")
  func changes() throws {
    _ = try shell.lines("save", "Item", "--name=a", "g=x")
    let watch = try RunningWatch(shell, "Item", "--where", "g == 'x'", "--initial")
    #expect(try reasonAndName(watch.nextLine()) == "created a")
    _ = try shell.lines("save", "Item", "--name=b", "g=y")
    _ = try shell.lines("save", "Item", "--name=a", "g=y", "-p", "allKeys")
    #expect(try reasonAndName(watch.nextLine()) == "left a")
    _ = try shell.lines("save", "Item", "--name=b", "g=x", "-p", "allKeys")
    #expect(try reasonAndName(watch.nextLine()) == "entered b")
    _ = try shell.lines("delete", "b")
    #expect(try reasonAndName(watch.nextLine()) == "deleted b")
  }

  @Test("--since goes on after the token that the last line of a commit has")
  func since() throws {
    let first = try RunningWatch(shell, "Item", "--initial", "--count=1")
    _ = try shell.lines("save", "Item", "--name=a")
    let line = try first.nextLine()
    #expect(first.waitUntilEnded().status == 0)
    let token = try JSON(parsing: line ?? "")["changeToken"]?.stringValue ?? ""
    _ = try shell.lines("save", "Item", "--name=b")
    _ = try shell.lines("delete", "a")
    let second = try RunningWatch(shell, "Item", "--since", token, "--count=2")
    let missed = try Set([reasonAndName(second.nextLine()), reasonAndName(second.nextLine())])
    #expect(missed == ["created b", "deleted a"])
    #expect(second.waitUntilEnded().status == 0)
    let refused = try shell.run("watch", "Item", "--since", "nonsense")
    #expect(refused.ending.status == 1)
    #expect(refused.errorText.contains("--since '"))
  }

  @Test("watch ends with 0 as soon as nobody reads its output, without waiting for a change")
  func closedOutput() throws {
    _ = try shell.lines("save", "Item", "--name=a")
    let watch = try RunningWatch(shell, "Item", "--initial")
    _ = try watch.nextLine()
    watch.closeOutput()
    #expect(watch.waitUntilEnded().status == 0)
  }

  @Test("Ctrl-C ends it by the signal, which shells show as 130")
  func interrupted() throws {
    _ = try shell.lines("save", "Item", "--name=a")
    let watch = try RunningWatch(shell, "Item", "--initial")
    _ = try watch.nextLine()
    watch.send(SIGINT)
    #expect(watch.waitUntilEnded().signal == SIGINT)
  }

  @Test("--exec runs once for each change, in order, with the line on its input and names in its environment")
  func exec() throws {
    try shell.seed(20)
    let command =
      "sleep 0.00$((RANDOM % 9)); read -r line; printf '%s %s %s\\n' \"$LISTS_REASON\" \"$LISTS_RECORD_NAME\" \"${line%%,*}\""
    let watch = try RunningWatch(
      shell, "Item", "--since", try tokenNow(), "--count=30", "--exec", command)
    for number in 0..<30 {
      _ = try shell.lines("save", "Item", "--name=n\(number)", "m:=\(number)", "-p", "changedKeys")
    }
    for number in 0..<30 {
      let reason = number < 20 ? "updated" : "created"
      #expect(try watch.nextLine()?.hasPrefix("\(reason) n\(number) {\"reason\":") == true)
    }
    #expect(watch.waitUntilEnded().status == 0)
  }

  private func tokenNow() throws -> String {
    let page = try shell.lines("call", "performQuery", #"{"recordType":"Item","resultsLimit":1}"#)
    return try JSON(parsing: page[0])["changeToken"]?.stringValue ?? ""
  }

  @Test("A command that reads nothing, or fails, doesn't end the watching")
  func failingCommand() throws {
    let text = String(repeating: "x", count: 300_000)
    let rows = (0..<3).map { #"{"recordType":"Item","recordName":"n\#($0)","fields":{"t":"\#(text)"}}"# }
    try shell.run("import", "-", input: rows.joined(separator: "\n"))
    let run = try shell.run(
      "watch", "Item", "--initial", "--count=3", "--exec", "echo \"$LISTS_RECORD_NAME\"; exit 3")
    #expect(Set(run.outputText.split(separator: "\n")) == ["n0", "n1", "n2"])
    #expect(run.errorText.split(separator: "\n").count == 3)
    #expect(run.ending.status == 0)
  }

  @Test("After a restart of the service nothing is missed and nothing comes twice")
  func restart() throws {
    let watch = try RunningWatch(shell, "Item", "--initial")
    _ = try shell.lines("save", "Item", "--name=a")
    #expect(try reasonAndName(watch.nextLine()) == "created a")
    shell.service.stop()
    try shell.service.start()
    _ = try shell.lines("save", "Item", "--name=b")
    #expect(try reasonAndName(watch.nextLine()) == "created b")
    _ = try shell.lines("save", "Item", "--name=c")
    #expect(try reasonAndName(watch.nextLine()) == "created c")
  }

  @Test("With --no-reconnect the end of the service is the end, with 3")
  func noReconnect() throws {
    _ = try shell.lines("save", "Item", "--name=a")
    let watch = try RunningWatch(shell, "Item", "--initial", "--no-reconnect")
    _ = try watch.nextLine()
    shell.service.stop()
    #expect(try watch.nextLine() == nil)
    #expect(watch.waitUntilEnded().status == 3)
  }

  @Test("On a terminal a change is a line that fits, with what changed")
  func terminal() throws {
    _ = try shell.lines("save", "Item", "--name=a", "title=x", "note=\(String(repeating: "y", count: 200))")
    let text = try shell.terminal("watch Item --initial --count 1", columns: 50)
    #expect(text.hasPrefix("created   Item a  title=x note=yyy"))
    #expect(text.split(separator: "\n").first?.count == 50)
  }
}
