import Glibc
import JSONRPC
import ServiceFixture
import Testing

private let isoCodes = "/usr/share/iso-codes/json"

@Suite(.timeLimit(.minutes(5)))
struct ImportTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  private func json(_ lines: [String]) throws -> JSON { try JSON(parsing: lines.first ?? "") }

  @Test(
    "Countries, subdivisions and languages of iso-codes: counts, references and order agree with the files",
    .enabled(if: access(isoCodes, R_OK) == 0, "the package iso-codes is not installed"))
  func isoFiles() throws {
    try importList("3166-1", "--type=Country", "--name-from=alpha_2")
    try importList(
      "3166-2", "--type=Subdivision", "--name-from=code", "--reference=country={code:2}",
      "--reference=parent={parent}|{code:2}-{parent}")
    try importList("639-3", "--type=Language", "--name-from=alpha_3")

    let countries = try Set(names(of: "Country"))
    let subdivisions = try shell.lines("query", "Subdivision").map { try JSON(parsing: $0) }
    let codes = Set(subdivisions.compactMap { $0["recordName"]?.stringValue })
    var parents = 0
    for subdivision in subdivisions {
      let fields = subdivision["fields"]
      #expect(countries.contains(fields?["country"]?["$reference"]?["recordName"]?.stringValue ?? ""))
      guard let parent = fields?["parent"] else { continue }
      parents += 1
      #expect(codes.contains(parent["$reference"]?["recordName"]?.stringValue ?? ""))
    }
    #expect(try parents == rows(of: "3166-2").filter { $0["parent"] != nil }.count)
    #expect(
      try shell.lines("query", "Subdivision", "--count", "--where", "parent = NULL") == [
        "\(codes.count - parents)"
      ])
    let living = try rows(of: "639-3").filter {
      $0["scope"]?.stringValue == "I" && $0["type"]?.stringValue == "L"
    }
    #expect(
      try shell.lines("query", "Language", "--count", "--where", "scope = 'I' AND type = 'L'") == [
        "\(living.count)"
      ])

    let sorted = try shell.lines("query", "Country", "--sort", "name:localized", "--fields", "name")
      .map { try JSON(parsing: $0)["fields"]?["name"]?.stringValue ?? "" }
    let place = { (name: String) in sorted.firstIndex(of: name) ?? -1 }
    #expect(place("Afghanistan") < place("Åland Islands") && place("Åland Islands") < place("Albania"))
    #expect(place("Costa Rica") < place("Côte d'Ivoire") && place("Côte d'Ivoire") < place("Croatia"))
  }

  private func importList(_ number: String, _ options: String...) throws {
    let run = try runToEnd(
      [shell.program, "import", "\(isoCodes)/iso_\(number).json", "--at", number] + options,
      environment: shell.environment)
    #expect(run.errorText == "")
    let type = options[0].dropFirst("--type=".count)
    let count = try rows(of: number).count
    #expect(run.outputText == "{\"saved\":\(count),\"failed\":0}\n")
    #expect(try shell.lines("query", String(type), "--count") == ["\(count)"])
  }

  private func rows(of number: String) throws -> [JSON] {
    let run = try runToEnd(["cat", "\(isoCodes)/iso_\(number).json"])
    return try Array(JSON(parsing: run.output)[number]?.elements ?? JSON(parsing: "[]").elements)
  }

  private func names(of type: String) throws -> [String] {
    try shell.lines("query", type).map { try JSON(parsing: $0)["recordName"]?.stringValue ?? "" }
  }

  @Test("Rows that can't be saved are named with place and reason; the others are saved; the status is 1")
  func faults() throws {
    let rows = """
      {"recordType":"Item","recordName":"a","fields":{"n":1}}
      {"recordType":"Item","recordName":"b","fields":{"n":"text"}}
      nonsense
      {"recordType":"Item","recordName":"_c","fields":{}}
      {"recordType":"Item","recordName":"d","fields":{"n":4}}
      """
    let run = try shell.run("import", "-", input: rows)
    #expect(run.ending.status == 1)
    #expect(run.outputText == "{\"saved\":2,\"failed\":3}\n")
    let errors = run.errorText.split(separator: "\n")
    #expect(errors.count == 3)
    for place in ["line 2", "line 3", "line 4"] {
      #expect(errors.contains { $0.contains(place) }, "\(place)")
    }
    #expect(try Set(names(of: "Item")) == ["a", "d"])
  }

  @Test("An import can be repeated: it merges unless --policy says otherwise")
  func repeated() throws {
    let row = #"{"recordType":"Item","recordName":"a","fields":{"n":1}}"#
    #expect(try shell.run("import", "-", input: row).ending.status == 0)
    _ = try shell.lines("save", "Item", "--name=a", "m:=2", "-p", "changedKeys")
    #expect(try shell.run("import", "-", input: row).ending.status == 0)
    #expect(try json(shell.lines("fetch", "a"))["fields"]?.text == #"{"n":1,"m":2}"#)
    #expect(try shell.run("import", "-", "-p", "ifServerRecordUnchanged", input: row).ending.status == 1)
    #expect(try shell.run("import", "-", "-p", "allKeys", input: row).ending.status == 0)
    #expect(try json(shell.lines("fetch", "a"))["fields"]?.text == #"{"n":1}"#)
  }

  @Test("What is exported can be imported elsewhere and is the same there", arguments: ["jsonl", "json"])
  func roundTrip(format: String) throws {
    _ = try shell.lines(
      "save", "Item", "--name=a", "t=x\u{7F}\"\\é", "d:={\"$date\":\"2026-12-01T00:00:00Z\"}", "l:=[1.5,2.5]",
      "r:={\"$reference\":{\"recordName\":\"b\"}}")
    try shell.seed(1200)
    let copied = try shell.bash(
      "listsrpc export Item --format \(format) | listsrpc import - --container copy")
    #expect(copied.outputText == "{\"saved\":1201,\"failed\":0}\n")
    let there = try json(shell.lines("fetch", "a", "--container", "copy"))["fields"]?.text
    #expect(try there == json(shell.lines("fetch", "a"))["fields"]?.text)
  }

  @Test("CSV goes out with a heading and comes back by conversions")
  func csv() throws {
    _ = try shell.lines("save", "Item", "--name=a", "name=x, \"y\"", "n:=1")
    _ = try shell.lines("save", "Item", "--name=b", "name=two\nlines", "done:=true")
    // A separator that bears a combining mark is one character with it, and a separator all the same.
    _ = try shell.lines("save", "Item", "--name=c", "name=x,\u{301}y")
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/items.csv"
    #expect(try shell.run("export", "Item", "--sort=recordName", "-o", path).ending.status == 0)
    let text = try runToEnd(["cat", path]).outputText
    #expect(
      text
        == "recordName,name,n,done\r\na,\"x, \"\"y\"\"\",1,\r\nb,\"two\nlines\",,true\r\nc,\"x,\u{301}y\",,\r\n"
    )
    let back = try shell.run(
      "import", path, "--type=Item", "--container=copy", "--convert=n=int", "--convert=done=boolean")
    #expect(back.outputText == "{\"saved\":3,\"failed\":0}\n")
    #expect(
      try json(shell.lines("fetch", "b", "--container=copy"))["fields"]?.text
        == #"{"name":"two\nlines","done":true}"#)
  }

  @Test("A refused export leaves the file as it was")
  func refusedExport() throws {
    let file = try TextFile("old", named: "items.jsonl")
    #expect(try shell.run("export", "Item", "--where", "=", "-o", file.path).ending.status == 1)
    #expect(try runToEnd(["cat", file.path]).outputText == "old")
  }

  @Test("A terminal sees a progress bar, which is gone at the end, and the counts as a sentence")
  func progress() throws {
    let rows = (0..<1500).map { #"{"recordType":"Item","recordName":"n\#($0)","fields":{"n":\#($0)}}"# }
    let file = try TextFile(rows.joined(separator: "\n"), named: "rows.jsonl")
    let text = try shell.terminal("import '\(file.path)'")
    #expect(text.contains("Importing █"))
    #expect(text.contains("100%"))
    #expect(text.hasSuffix("\r\u{1B}[K1500 records saved\n"))
    #expect(!(try shell.terminal("import '\(file.path)' --no-progress")).contains("Importing"))
  }

  @Test("Ctrl-C ends an import between two requests, with what was done and 130")
  func interrupted() throws {
    let (input, output) = (try Pipe(), try Pipe())
    let process = try spawn(
      [shell.program, "import", "-"], environment: shell.environment, input: input.readEnd,
      output: output.writeEnd)
    input.closeReadEnd()
    output.closeWriteEnd()
    // Two batches and a part: the second is sent once the third begins, so that its records tell that the
    // import is at work.
    let watch = try RunningWatch(shell, "Item", "--initial", "--count=1000")
    let rows = (0..<1001).map { #"{"recordType":"Item","recordName":"n\#($0)","fields":{}}"# + "\n" }.joined()
    var rest = Array(rows.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(input.writeEnd, $0.baseAddress, $0.count) }
      rest = rest.dropFirst(max(0, count))
    }
    #expect(watch.waitUntilEndedAfterReadingAll() == 1000)
    kill(process, SIGINT)
    #expect(try String(decoding: output.readSome(), as: UTF8.self) == "{\"saved\":1000,\"failed\":0}\n")
    #expect(waitForEnd(of: process).status == 130)
  }
}
