import Glibc
import JSONRPC
import ServiceFixture
import Testing

@testable import listsrpc

@Suite(.timeLimit(.minutes(10)))
struct ImportResumeTests {
  let shell: ShellSession
  let folder: TemporaryFolder
  var state: String { "\(folder.path)/state" }
  var report: String { "\(folder.path)/report" }

  init() throws {
    shell = try ShellSession()
    folder = try TemporaryFolder()
  }

  /// Rows without names, every hundredth of them refused.
  private func rows(_ count: Int) throws -> TextFile {
    let lines = (0..<count).map { number in
      number % 100 == 99 ? #"{"_bad":\#(number)}"# : #"{"n":\#(number)}"#
    }
    return try TextFile(lines.joined(separator: "\n"), named: "rows.jsonl")
  }

  private func count() throws -> String {
    (try? shell.lines("query", "Item", "--count").first) ?? "0"
  }

  private func words(_ file: TextFile, _ policy: String) -> [String] {
    [
      shell.program, "import", file.path, "--type=Item", "--policy", policy, "--resume", state, "--report",
      report,
    ]
  }

  private func spawnImport(_ file: TextFile, _ policy: String = "changedKeys") throws -> Int32 {
    try spawn(
      words(file, policy),
      environment: shell.environment, output: open("/dev/null", O_WRONLY | O_CLOEXEC))
  }

  private func finish(_ file: TextFile, _ policy: String = "changedKeys") throws -> ProgramRun {
    try runToEnd(words(file, policy), environment: shell.environment)
  }

  /// What the state file says.
  private func noted() throws -> String { try runToEnd(["cat", state]).outputText }

  /// Nothing is there twice, nothing is missing, and the report has each refused row once.
  private func check(_ rows: Int, _ last: ProgramRun) throws {
    #expect(
      last.outputText == "{\"saved\":\(rows - rows / 100),\"failed\":\(rows / 100)}\n", "\(last.errorText)")
    let values = try shell.lines("query", "Item", "--fields", "n").compactMap {
      try JSON(parsing: $0)["fields"]?["n"]?.int64Value
    }
    #expect(values.sorted() == (0..<Int64(rows)).filter { $0 % 100 != 99 })
    let refused = try runToEnd(["cat", report]).outputText.split(separator: "\n").map {
      try JSON(parsing: String($0))["row"]?["_bad"]?.int64Value
    }
    #expect(refused == (0..<Int64(rows)).filter { $0 % 100 == 99 })
  }

  @Test(
    "Killed at any moment, again and again, it saves every row once and reports every refused row once",
    arguments: ["changedKeys", "ifServerRecordUnchanged"])
  func killed(policy: String) throws {
    let file = try rows(10_000)
    var kills = 0
    for round in 1...12 {
      let process = try spawnImport(file, policy)
      // At a moment that has nothing to do with what it does, a bit later each time.
      for _ in 0..<round * 4 { _ = try noted() }
      kill(process, SIGKILL)
      if waitForEnd(of: process).signal == SIGKILL { kills += 1 }
    }
    #expect(kills > 3)
    try check(10_000, finish(file, policy))
    // Once more there is nothing to do.
    let again = try finish(file, policy)
    #expect(again.errorText.contains("already"))
    try check(10_000, again)
  }

  @Test("Ctrl-C and a service that goes away are gone on from, too")
  func interrupted() throws {
    let file = try rows(12_000)
    let process = try spawnImport(file)
    while try count() == "0" {}
    kill(process, SIGINT)
    let ending = waitForEnd(of: process)
    #expect(ending.status == 130 || ending.status == 1)
    let second = try spawnImport(file)
    shell.service.stop(SIGKILL)
    #expect([3, 1].contains(waitForEnd(of: second).status ?? 0))
    try shell.service.start()
    try check(12_000, finish(file))
  }

  @Test("Rows behind those of an import that was finished come in; other rows are refused")
  func appended() throws {
    let rows = (0..<10).map { #"{"recordName":"n\#($0)","n":\#($0)}"# }
    let file = try TextFile(rows[..<5].joined(separator: "\n"), named: "rows.jsonl")
    func give(_ rows: some Sequence<String>) throws {
      _ = try runToEnd(["tee", file.path], input: Array(rows.joined(separator: "\n").utf8))
    }
    #expect(try finish(file).outputText == "{\"saved\":5,\"failed\":0}\n")
    try give(rows)
    #expect(try finish(file).outputText == "{\"saved\":10,\"failed\":0}\n")
    #expect(try count() == "10")
    try give(rows.reversed())
    let other = try finish(file)
    #expect(other.ending.status == 1 && other.errorText.contains("is not the one that was imported before"))
  }

  @Test("A file that is read is not written, and one that is written only once")
  func sameFile() throws {
    let file = try TextFile(#"{"n":1}"#, named: "rows.jsonl")
    for words in [
      ["--report", file.path], ["--resume", file.path], ["--report", state, "--resume", state],
    ] {
      let run = try runToEnd(
        [shell.program, "import", file.path, "--type=Item"] + words, environment: shell.environment)
      #expect(run.ending.status == 2 && run.errorText.contains("are the same file"), "\(words)")
    }
    #expect(try runToEnd(["cat", file.path]).outputText == #"{"n":1}"#)
  }

  @Test("Records that are put off many times come in, in a run that could be gone on from, too")
  func putOff() throws {
    let lines = (0..<1500).map { number in
      let target = number % 2 == 1 ? number + 1 : min(number + 700, 1500)
      return
        #"{"recordName":"n\#(number)","up":{"$reference":{"recordName":"n\#(target)","action":"validate"}}}"#
    }
    let file = try TextFile(
      (lines + [#"{"recordName":"n1500"}"#]).joined(separator: "\n"), named: "rows.jsonl")
    let run = try finish(file)
    #expect(run.outputText == "{\"saved\":1501,\"failed\":0}\n", "\(run.errorText)")
  }

  @Test(
    "A service that is killed and started again is asked once more, and nothing is done twice",
    arguments: ["changedKeys", "ifServerRecordUnchanged"])
  func startedAgain(policy: String) throws {
    var lines = (0..<9000).map { #"{"n":\#($0)}"# }
    if policy == "changedKeys" {
      for place in stride(from: 0, to: 9000, by: 20) {
        lines.insert(#"{"recordName":"counter","count":{"$increment":1}}"#, at: place)
      }
    }
    let file = try TextFile(lines.joined(separator: "\n"), named: "rows.jsonl")
    let output = try Pipe()
    let process = try spawn(
      [shell.program, "import", file.path, "--type=Item", "--policy", policy], environment: shell.environment,
      output: output.writeEnd)
    output.closeWriteEnd()
    for number in 1...3 {
      while try Int(count()) ?? 0 < number * 1500 {}
      shell.service.stop(SIGKILL)
      try shell.service.start()
    }
    #expect(try output.readSome().elementsEqual("{\"saved\":\(lines.count),\"failed\":0}\n".utf8))
    #expect(waitForEnd(of: process).status == 0)
    let isCounted = policy == "changedKeys"
    #expect(try count() == (isCounted ? "9001" : "9000"))
    if isCounted {
      #expect(try shell.lines("fetch", "counter", "--json")[0].contains(#""count":450}"#))
    }
  }

  @Test(
    "From standard input the same rows are given again; others are refused, and so is another import's state")
  func otherInput() throws {
    let lines = (0..<3000).map { #"{"recordName":"n\#($0)","n":\#($0)}"# }
    let part = lines[..<1200].joined(separator: "\n")
    let whole = lines.joined(separator: "\n")
    let input = try Pipe()
    let process = try spawn(
      [shell.program, "import", "-", "--type=Item", "--resume", state], environment: shell.environment,
      input: input.readEnd, output: open("/dev/null", O_WRONLY | O_CLOEXEC))
    input.closeReadEnd()
    _ = part.withCString { write(input.writeEnd, $0, part.utf8.count) }
    while try !noted().contains(#""rows":1000"#) {}
    kill(process, SIGKILL)
    _ = waitForEnd(of: process)
    let other = try shell.run(
      "import", "-", "--type=Item", "--resume", state, input: whole.replacing(#""n":3}"#, with: #""n":4}"#))
    #expect(other.ending.status == 1 && other.errorText.contains("is not the one that was imported before"))
    let options = try shell.run("import", "-", "--type=Other", "--resume", state, input: whole)
    #expect(options.ending.status == 1 && options.errorText.contains("the state of another import"))
    let run = try shell.run("import", "-", "--type=Item", "--resume", state, input: whole)
    #expect(run.outputText == "{\"saved\":3000,\"failed\":0}\n", "\(run.errorText)")
    #expect(try count() == "3000")
  }

  @Test("Two imports with one state at a time are refused, and so is a file that is none")
  func misuse() throws {
    let file = try TextFile("something else", named: "state")
    let run = try shell.run("import", "-", "--type=Item", "--resume", file.path, input: #"{"a":1}"#)
    #expect(run.ending.status == 1 && run.errorText.contains("no state of 'listsrpc import'"))
    #expect(try runToEnd(["cat", file.path]).outputText == "something else")
    #expect(try shell.run("import", "-", "--dry-run", "--resume", state).ending.status == 2)
  }
}
