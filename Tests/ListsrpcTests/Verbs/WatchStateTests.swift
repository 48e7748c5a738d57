import Glibc
import JSONRPC
import ServiceFixture
import Testing

private func name(_ line: String) throws -> String {
  let change = try JSON(parsing: line)
  return change["recordName"]?.stringValue ?? change["reason"]?.stringValue ?? ""
}

extension RunningWatch {
  /// The names of the records in the lines up to one, or in all that are left.
  fileprivate func names(upTo last: String? = nil) throws -> [String] {
    var names: [String] = []
    while names.isEmpty || names.last != last, let line = try nextLine() { names.append(try name(line)) }
    return names
  }
}

@Suite(.timeLimit(.minutes(5)))
struct WatchStateTests {
  let shell: ShellSession
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/state" }

  init() throws {
    shell = try ShellSession()
    folder = try TemporaryFolder()
  }

  private func save(_ names: String...) throws {
    for name in names { _ = try shell.lines("save", "Item", "--name=\(name)") }
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private func text(_ path: String) throws -> String { try runToEnd(["cat", path]).outputText }

  @Test("Whatever is killed, watcher or service, no change is missing from the lines of all watches together")
  func killed() throws {
    try save("a")
    var seen: [String] = []
    var expected = ["a"]
    var kills = 0
    for round in 0..<6 {
      let watch = try RunningWatch(shell, "Item", "--state", path, "--initial")
      if round == 0 { seen += try watch.names(upTo: "a") }
      let names = (0..<4).map { "r\(round)-\($0)" }
      for name in names.prefix(3) { try save(name) }
      if round % 2 == 1 {
        shell.service.stop(SIGKILL)
        try shell.service.start()
      }
      try save(names[3])
      seen += try watch.names(upTo: names[round % 4])
      watch.send(SIGKILL)
      kills += 1
      seen += try watch.names()
      #expect(watch.waitUntilEnded().signal == SIGKILL)
      if round % 3 == 2 {
        shell.service.stop(SIGKILL)
        try shell.service.start()
      }
      try save("r\(round)-alone")
      expected += names + ["r\(round)-alone"]
    }
    let last = try RunningWatch(shell, "Item", "--state", path, "--initial")
    seen += try last.names(upTo: expected.last)
    var firsts: [String] = []
    for name in seen where !firsts.contains(name) { firsts.append(name) }
    #expect(firsts.sorted() == expected.sorted())
    #expect(seen.count - firsts.count <= kills, "a line comes twice only where a watcher was killed")
  }

  @Test("SIGTERM and SIGINT leave the state behind the last line; the next watch goes on without it")
  func ended() throws {
    for signal in [SIGTERM, SIGINT] {
      let first = try RunningWatch(shell, "Item", "--state", path)
      // The file has its name's first state as soon as the watch has begun.
      _ = try shell.bash("until [ -s '\(path)' ]; do :; done")
      try save("a\(signal)", "b\(signal)")
      #expect(try first.names(upTo: "b\(signal)") == ["a\(signal)", "b\(signal)"])
      first.send(signal)
      #expect(first.waitUntilEnded().signal == signal)
      try save("c\(signal)")
      let second = try shell.lines("watch", "Item", "--state", path, "--count=1")
      #expect(try second.map(name) == ["c\(signal)"])
    }
    #expect(try runToEnd(["stat", "-c", "%a", path]).outputText == "600\n")
    #expect(try runToEnd(["ls", "-A", folder.path]).outputText == "state\n")
  }

  @Test("A signal that was ignored when the program began, as by nohup, stays ignored")
  func ignoredSignal() throws {
    let script = "trap '' HUP; exec '\(shell.program)' watch Item --state '\(path)' --count=1"
    let process = try spawn(["sh", "-c", script], environment: shell.environment)
    _ = try shell.bash("until [ -s '\(path)' ]; do :; done")
    kill(process, SIGHUP)
    try save("a")
    #expect(waitForEnd(of: process).status == 0)
  }

  @Test("--count ends at the end of a commit, so that none is noted in part")
  func wholeCommits() throws {
    try shell.seed(5)
    let first = try shell.lines("watch", "Item", "--state", path, "--initial", "--count=2")
    #expect(first.count == 5)
    try save("later")
    #expect(
      try shell.lines("watch", "Item", "--state", path, "--initial", "--count=1").map(name) == ["later"])
  }

  @Test("--exec runs once for each change over several watches")
  func exec() throws {
    try shell.seed(3)
    let command = "printf '%s\\n' \"$LISTS_REASON $LISTS_RECORD_NAME\" >>'\(folder.path)/ran'"
    for round in 0..<3 {
      try save("r\(round)")
      let run = try shell.run(
        "watch", "Item", "--state", path, "--initial", "--count=1", "--exec", command)
      #expect(run.ending.status == 0 && run.errorText == "")
    }
    let ran = try text("\(folder.path)/ran").split(separator: "\n").map(String.init)
    #expect(ran.sorted() == ["n0", "n1", "n2", "r0", "r1", "r2"].map { "created \($0)" })
    #expect(ran.suffix(2) == ["created r1", "created r2"])
  }

  @Test("A command that fails ends the watch, and the next one begins with its commit, until it succeeded")
  func failingCommand() throws {
    try shell.seed(2)
    _ = try shell.lines("subscriptions", "save", "saved", "Item", "--initial")
    // Fails once for each record.
    let command = """
      cd '\(folder.path)'; echo "$LISTS_REASON $LISTS_RECORD_NAME" >>ran; [ -z "$LISTS_RECORD_NAME" ] ||
      [ -e "$ONCE$LISTS_RECORD_NAME" ] || { >"$ONCE$LISTS_RECORD_NAME"; exit 7; }
      """
    for target in ["--state='\(path)' --initial Item", "--subscription=saved"] {
      for count in [2, 1] {
        let watch = "listsrpc watch \(target) --count=\(count) --exec \"$COMMAND\""
        let variables = "export ONCE=\(target.count) COMMAND='\(command.replacing("'", with: #"'\''"#))'; "
        for _ in 0..<count {
          let run = try shell.bash(variables + watch)
          #expect(run.ending.status == 1 && run.errorText.contains("ended with 7"))
        }
        let last = try shell.bash(variables + watch)
        #expect(last.ending.status == 0 && last.errorText == "", "\(last.errorText)")
        if count == 2 { try save("later\(target.count)") }
      }
      unlink("\(folder.path)/ran")
      _ = try shell.lines("delete", "later\(target.count)")
    }
  }

  @Test("Two watches with one file are refused, and another one may begin where the first has ended")
  func locked() throws {
    try save("a")
    let first = try RunningWatch(shell, "Item", "--state", path, "--initial")
    #expect(try first.names(upTo: "a") == ["a"])
    let second = try shell.run("watch", "Item", "--state", path)
    #expect(second.ending.status == 1)
    #expect(second.errorText == "listsrpc: \(path) is in use by another listsrpc\n")
    first.send(SIGKILL)
    _ = first.waitUntilEnded()
    try save("b")
    let third = try RunningWatch(shell, "Item", "--state", path, "--initial")
    #expect(try third.names(upTo: "b").last == "b")
  }

  @Test("A file that is no state, or of other changes, is refused and left alone")
  func refused() throws {
    for other in ["no JSON", #"{"a":1}"#, "\n"] {
      let file = try TextFile(other)
      let run = try shell.run("watch", "Item", "--state", file.path)
      #expect(run.ending.status == 1)
      #expect(run.errorText.contains("is no state of 'listsrpc watch'; it was left alone"))
      #expect(try text(file.path) == other)
    }
    #expect(try shell.run("watch", "--state", folder.path).ending.status == 1)
    try save("a")
    _ = try shell.lines("watch", "Item", "--where", "a != 1", "--state", path, "--initial", "--count=1")
    let state = try text(path)
    for words in [
      ["Item"], ["Item", "-w", "a != 2"], ["Other", "-w", "a != 1"], ["Item", "-w", "a != 1", "-z", "z"],
    ] {
      let run = try runToEnd(
        [shell.program, "watch"] + words + ["--state", path], environment: shell.environment)
      #expect(run.ending.status == 1)
      #expect(run.errorText.contains("is the state of other changes"))
    }
    #expect(
      try shell.run("changes", "Item", "--state", path).errorText.contains("is a state of 'listsrpc watch'"))
    #expect(try text(path) == state)
    try save("b")
    let words = ["--container", "default", "--fields", "n", "--count=1"]
    let run = try runToEnd(
      [shell.program, "watch", "Item", "--where", "a != 1", "--state", path] + words,
      environment: shell.environment)
    #expect(run.ending.status == 0, "the form may be another")
  }

  @Test(
    "A noted token of another store is told as a reset; with --initial the records follow, then it goes on")
  func expired() throws {
    try save("old")
    _ = try shell.lines("watch", "Item", "--state", path, "--initial", "--count=1")
    let other = try ShellSession()
    _ = try other.lines("save", "Item", "--name=there")
    try runToEnd(["cp", path, path + "2"])
    let records = try RunningWatch(other, "Item", "--state", path, "--initial")
    #expect(try records.names(upTo: "there") == ["reset", "there"])
    let changes = try RunningWatch(other, "Item", "--state", path + "2")
    #expect(try changes.names(upTo: "reset") == ["reset"])
    _ = try other.lines("save", "Item", "--name=new")
    #expect(try changes.names(upTo: "new") == ["new"])
    #expect(try records.names(upTo: "new") == ["new"])
  }

  @Test("Where nothing matches the position is noted all the same, from the beginning on")
  func progress() throws {
    // A service that gives a subscription, then a position, and goes.
    let socket = "\(folder.path)/s"
    let script = """
      import json, os, socket
      listener = socket.socket(socket.AF_UNIX)
      listener.bind('\(socket)')
      listener.listen()
      os.write(1, b'ready\\n')
      for position in (None, 'later'):
          client = listener.accept()[0]
          request = json.loads(client.makefile().readline())
          reply = {'jsonrpc': '2.0', 'id': request['id'], 'result': {'subscriptionID': '1', 'changeToken': 'first'}}
          push = {'subscriptionID': '1', 'seq': 1, 'changeToken': position, 'changes': []}
          push = {'jsonrpc': '2.0', 'method': 'recordsChanged', 'params': push}
          for message in [reply] + [push] * (position is not None):
              client.sendall(json.dumps(message).encode() + b'\\n')
          os.write(1, f"{request['params'].get('since')}\\n".encode())
          client.shutdown(socket.SHUT_WR)
          client.recv(1)
          client.close()
      """
    let output = try Pipe()
    let process = try spawn(["python3", "-c", script], output: output.writeEnd)
    output.closeWriteEnd()
    defer { waitForEnd(of: process) }
    #expect(try text(output.readSome()) == "ready\n")
    for (since, noted) in [("None", "first"), ("first", "later")] {
      let run = try shell.run("watch", "Item", "--state", path, "--socket", socket, "--no-reconnect")
      #expect(run.ending.status == 3 && run.outputText == "")
      #expect(try text(output.readSome()) == "\(since)\n")
      #expect(try JSON(parsing: try text(path))["changeToken"]?.stringValue == noted)
    }
  }

  @Test("A watch that was killed before it could note a position begins anew with a reset")
  func interruptedBeginning() throws {
    try save("a")
    let state =
      #"{"listsrpc":"watch","watched":{"recordType":"Item","container":"default","database":"private"},"changeToken":null}"#
    let file = try TextFile(state + "\n")
    let watch = try RunningWatch(shell, "Item", "--state", file.path, "--initial")
    #expect(try watch.names(upTo: "a") == ["reset", "a"])
    watch.send(SIGTERM)
    _ = watch.waitUntilEnded()
    try save("b")
    #expect(
      try shell.lines("watch", "Item", "--state", file.path, "--initial", "--count=1").map(name) == ["b"])
  }

  @Test("What does not go together is refused before the service is asked")
  func combinations() throws {
    for words in [
      ["--state", "x", "--since", "t"], ["--since", "t", "--initial"], ["--sort", "a", "--since", "t"],
      ["--count-only", "--limit", "3"], ["--subscription", "s", "--where", "a = 1"],
      ["--record", "a", "-w", "a = 1"],
      ["--index-title", "whole"], ["Item", "--subscription", "s"],
    ] {
      let run = try runToEnd([shell.program, "watch"] + words, environment: shell.environment)
      #expect(run.ending.status == 2, "\(words)")
    }
  }
}
