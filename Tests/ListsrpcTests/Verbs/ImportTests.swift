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

@Suite(.timeLimit(.minutes(5)))
struct ImportFormatTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  @Test("A dry run refuses what the import refuses, and saves nothing")
  func dryRun() throws {
    _ = try shell.lines("save", "Item", "--name=there", "n:=1")
    let rows = """
      {"recordName":"a","n":1,"zoneName":"new"}
      {"recordName":"there","n":2}
      {"recordName":"b","n":"text"}
      {"recordName":"c","m":true}
      {"recordName":"d","m":1}
      {"recordName":"_e"}
      {"recordName":"f","creationDate":1}
      {"recordName":"g","l":[1,"x"]}
      {"recordName":"h","n":1.5}
      nonsense
      """
    let folder = try TemporaryFolder()
    func refused(_ path: String) throws -> [String] {
      try runToEnd(["cat", path]).outputText.split(separator: "\n").map {
        let entry = try JSON(parsing: String($0))
        return "\(entry["place"]?.text ?? "") \(entry["reason"]?.text ?? "")"
      }
    }
    let dry = try shell.run(
      "import", "-", "--type=Item", "--dry-run", "--report=\(folder.path)/dry", input: rows)
    #expect(dry.ending.status == 1)
    #expect(
      dry.outputText
        == #"{"dryRun":true,"saved":3,"created":2,"changed":1,"failed":7,"zones":["new"]}"# + "\n")
    #expect(try shell.lines("query", "Item", "--count") == ["1"])
    #expect(try shell.lines("call", "fetchZones")[0].contains("new") == false)
    let real = try shell.run("import", "-", "--type=Item", "--report=\(folder.path)/real", input: rows)
    #expect(real.outputText == "{\"saved\":3,\"failed\":7}\n")
    #expect(try refused("\(folder.path)/dry") == refused("\(folder.path)/real"))
    #expect(try refused("\(folder.path)/dry").count == 7)
    let text = try shell.terminal("import /dev/null --format jsonl --type=Item --dry-run")
    #expect(text == "0 records would be saved, 0 of them new\n")
  }

  @Test("A dry run holds rows to the rules of fields, as the import does")
  func dryRunRules() throws {
    _ = try shell.lines(
      "call", "saveRecordType",
      #"{"recordType":{"name":"Item","fields":{"name":{"type":"string","required":true,"pattern":"[a-z]+"},"n":{"type":"int64","min":1,"max":9},"kind":{"type":"string","required":true,"default":"x"}}}}"#
    )
    _ = try shell.lines("save", "Item", "--name=there", "name=abc")
    let rows = """
      {"recordName":"a","name":"abc","n":9}
      {"recordName":"b","n":1}
      {"recordName":"c","name":"ABC"}
      {"recordName":"d","name":"abc","n":10}
      {"recordName":"there","n":2}
      {"recordName":"there","name":null}
      """
    let dry = try shell.run("import", "-", "--type=Item", "--dry-run", input: rows)
    #expect(
      dry.outputText
        == #"{"dryRun":true,"saved":2,"created":1,"changed":1,"failed":4,"zones":[]}"# + "\n")
    let real = try shell.run("import", "-", "--type=Item", input: rows)
    #expect(real.outputText == "{\"saved\":2,\"failed\":4}\n")
    #expect(dry.errorText == real.errorText)
  }

  @Test("A dry run knows what --policy refuses")
  func dryRunPolicies() throws {
    _ = try shell.lines("save", "Item", "--name=there", "n:=1")
    let rows = "{\"recordName\":\"there\"}\n{\"recordName\":\"a\"}\n{\"recordName\":\"a\"}"
    let run = try shell.run(
      "import", "-", "--type=Item", "--dry-run", "-p", "ifServerRecordUnchanged", input: rows)
    #expect(run.outputText.hasPrefix(#"{"dryRun":true,"saved":1,"created":1,"changed":0,"failed":2"#))
  }

  @Test("CloudKit's pages are known by their form; what can't be had of them is told")
  func cloudKit() throws {
    let pages = """
      {"records":[
        {"recordName":"a","recordType":"Note","fields":{"title":{"value":"x","type":"STRING"},
         "in":{"value":{"recordName":"f","action":"DELETE_SELF","zoneID":{"zoneName":"work"}},"type":"REFERENCE"}},
         "recordChangeTag":"k","created":{"timestamp":1,"userRecordName":"_u","deviceID":"2"},"zoneID":{"zoneName":"work"}},
        {"recordName":"b","recordType":"Note","fields":{"title":{"value":5,"type":"INT64"}}},
        {"recordName":"c","recordType":"Note","deleted":true}
      ],"continuationMarker":"more"}
      """
    let run = try shell.run("import", "-", input: pages)
    #expect(run.outputText == "{\"saved\":1,\"failed\":1}\n")
    #expect(run.errorText.contains("line 5, row 2"))
    #expect(run.errorText.contains("there is more") && run.errorText.contains("1 records that were deleted"))
    let record = try JSON(parsing: shell.lines("fetch", "a", "--zone=work")[0])
    #expect(record["fields"]?["in"]?.text == #"{"$reference":{"recordName":"f","action":"deleteSelf"}}"#)
  }

  @Test("Parse's export: classes by their files' names, and relations from the files that hold them")
  func parse() throws {
    let folder = try TemporaryFolder()
    func file(_ name: String, _ text: String) throws -> String {
      let source = try TextFile(text, named: "source")
      _ = try runToEnd(["cp", source.path, "\(folder.path)/\(name)"])
      return "\(folder.path)/\(name)"
    }
    let users = try file(
      "_User.json",
      #"{"results":[{"objectId":"u1","username":"ann","createdAt":"2020-01-01T00:00:00.000Z"}]}"#)
    let posts = try file(
      "Post.json",
      "{ \"results\": [\n\t{ \"objectId\": \"p1\", \"n\": 1, \"likes\": {\"__type\":\"Relation\",\"className\":\"_User\"} },\n"
        + "\t{ \"objectId\": \"p2\", \"n\": 1.5 }\n] }\n")
    let likes = try file(
      "_Join:likes:Post.json",
      #"{"results":[{"owningId":"p1","relatedId":"u1"},{"owningId":"p1","relatedId":"u2"},{"owningId":"gone","relatedId":"u1"}]}"#
    )
    #expect(try shell.run("import", users).outputText == "{\"saved\":1,\"failed\":0}\n")
    #expect(try shell.run("import", posts).outputText == "{\"saved\":2,\"failed\":0}\n")
    for _ in 1...2 {
      let run = try shell.run("import", likes)
      #expect(run.outputText == "{\"saved\":2,\"failed\":1}\n")
      #expect(run.errorText.contains("row 3"))
    }
    #expect(
      try JSON(parsing: shell.lines("fetch", "p1")[0])["fields"]?.text
        == #"{"n":1.0,"likes":[{"$reference":{"recordName":"u1"}},{"$reference":{"recordName":"u2"}}]}"#)
    #expect(try JSON(parsing: shell.lines("fetch", "u1")[0])["recordType"]?.stringValue == "User")
  }

  @Test("A table's text becomes what the fields are declared to be; what it can't be is refused")
  func declaredTypes() throws {
    _ = try shell.lines(
      "declare", "Item", "n:int64", "d:double", "b:boolean", "at:date", "place:location", "to:reference",
      "tags:string-list", "o:object", "raw:bytes")
    let table = """
      recordName,n,d,b,at,place,to,tags,o,raw,s
      a,1,2,yes,2026-12-01T00:00:00Z,"50.85, 4.35",x,"[""t""]","{""k"":1}",aGk=,7
      b,"","",,,,,,,,
      c,1.5,,,,,,,,,
      """
    let run = try shell.run("import", "-", "--type=Item", input: table)
    #expect(run.outputText == "{\"saved\":2,\"failed\":1}\n")
    #expect(run.errorText.contains("line 4: its 'n' is no int64: \"1.5\""))
    #expect(
      try JSON(parsing: shell.lines("fetch", "a")[0])["fields"]?.text
        == #"{"n":1,"d":2.0,"b":true,"at":{"$date":"2026-12-01T00:00:00.000Z"},"place":{"$location":{"latitude":50.85,"longitude":4.35}},"to":{"$reference":{"recordName":"x"}},"tags":["t"],"o":{"k":1},"raw":{"$bytes":"aGk="},"s":"7"}"#
    )
  }

  @Test("A table of all types asks for one")
  func exportOfAll() throws {
    #expect(try shell.run("export", "--format=csv").ending.status == 2)
    #expect(try shell.run("export").outputText == "")
    #expect(try shell.run("export", "--format=cloudkit").outputText == "{\"records\":[\n]}\n")
  }

  @Test(
    "Records that must come before others may stand behind them, also when it is each other that they need")
  func validatedReferences() throws {
    func row(_ name: String, _ target: String) -> String {
      #"{"recordType":"N","recordName":"\#(name)","fields":{"to":{"$reference":{"recordName":"\#(target)","action":"validate"}}}}"#
    }
    // A chain in the wrong order, two that need each other, and one whose target never comes.
    var rows = (0..<1200).map { row("n\($0)", "n\($0 + 1)") }
    rows.append(#"{"recordType":"N","recordName":"n1200","fields":{}}"#)
    rows += [row("a", "b"), row("b", "a")]
    let folder = try TemporaryFolder()
    let whole = try shell.run("import", "-", "--resume=\(folder.path)/s", input: rows.joined(separator: "\n"))
    #expect(whole.outputText == "{\"saved\":1203,\"failed\":0}\n", "\(whole.errorText)")
    #expect(try runToEnd(["ls", folder.path]).outputText == "s\n")
    let lost = try shell.run("import", "-", input: row("c", "never") + "\n" + row("d", "c"))
    #expect(lost.outputText == "{\"saved\":0,\"failed\":2}\n")
    #expect(lost.errorText.contains("line 1") && lost.errorText.contains("line 2"))
  }

  @Test("Tables with semicolons come in, and days without a time are midnights")
  func spreadsheets() throws {
    let file = try TextFile("\u{FEFF}recordName;name;due\r\nd1;Käse;2026-12-24\r\n", named: "semi.csv")
    let lines = try shell.lines("import", file.path, "--type=Item", "--convert=due=date")
    #expect(lines == [#"{"saved":1,"failed":0}"#])
    let record = try shell.lines("fetch", "d1")[0]
    #expect(record.contains(#""fields":{"name":"Käse","due":{"$date":"2026-12-24T00:00:00.000Z"}}"#))
  }

  @Test("A record of CloudKit whose file is not there comes in with what is said of the file")
  func filesOfCloudKit() throws {
    let image = #"{"fileChecksum":"ARm","size":5,"downloadURL":"https://example.org/i","receipt":"x"}"#
    let fields = #"{"image":{"value":\#(image),"type":"ASSETID"}}"#
    let file = try TextFile(
      #"{"records":[{"recordName":"p","recordType":"Photo","fields":\#(fields)}]}"#, named: "photos.json")
    let run = try shell.run("import", file.path)
    #expect(run.ending.status == 0 && run.errorText.contains("1 files were not in the export"))
    #expect(
      try shell.lines("fetch", "p")[0].contains(
        #""image":{"fileChecksum":"ARm","size":5,"downloadURL":"https://example.org/i"}"#))
  }
}
