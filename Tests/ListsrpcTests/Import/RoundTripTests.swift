import JSONRPC
import Records
import ServiceFixture
import Testing

@testable import listsrpc

@Suite(.timeLimit(.minutes(5)))
struct RoundTripTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  /// Everything but assets, whose files would have to be there.
  private static let elements = FieldType.Element.allCases.filter { $0 != .asset }

  private func seed(_ seed: UInt64, types: [String], elements: [FieldType.Element]) throws {
    var lines: [String] = []
    for type in types {
      var random = RandomRecords(seed: seed &+ UInt64(type.utf8.count), typeName: type, elements: elements)
      for number in 0..<150 {
        lines.append(random.record(named: "\(type)-\(number)", zones: ["_defaultZone", "z 1"]).description)
      }
    }
    let run = try shell.run("import", "-", input: lines.joined(separator: "\n"))
    try #require(run.outputText == "{\"saved\":\(types.count * 150),\"failed\":0}\n", "\(run.errorText)")
  }

  /// The records but for what the service gives them.
  private func records(in container: String? = nil, _ type: String? = nil) throws -> [String] {
    var words = ["export"]
    if let type { words.append(type) }
    if let container { words += ["--container", container] }
    let run = try runToEnd([shell.program] + words, environment: shell.environment)
    return try run.outputText.split(separator: "\n").map { line in
      let record = try JSON(parsing: String(line))
      // The order of fields is that in which they were first saved.
      let fields = record["fields"]?.members.map { "\($0.key.text):\($0.value.text)" }.sorted() ?? []
      return ["recordType", "recordName", "zoneName"].map { record[$0]?.text ?? "" }.joined(separator: " ")
        + fields.joined(separator: ",")
    }.sorted()
  }

  @Test("All records of all types and zones go out and come back equal", arguments: ["jsonl", "json"], 1...3)
  func own(format: String, number: UInt64) throws {
    try seed(number, types: ["A", "Type é", "C"], elements: Self.elements)
    let run = try shell.bash(
      "listsrpc export --format \(format) | listsrpc import - --container copy --resume \(shell.service.folder.path)/import.state"
    )
    #expect(run.outputText == "{\"saved\":450,\"failed\":0}\n", "\(run.errorText)")
    #expect(try records(in: "copy") == records())
  }

  @Test("CloudKit's form goes out and comes back equal, but for objects", arguments: 1...3)
  func cloudKit(number: UInt64) throws {
    try seed(number, types: ["A", "B"], elements: Self.elements.filter { $0 != .object })
    let run = try shell.bash("listsrpc export --format cloudkit | listsrpc import - --container copy")
    #expect(run.outputText == "{\"saved\":300,\"failed\":0}\n", "\(run.errorText)")
    #expect(try records(in: "copy") == records())
  }

  @Test("A table comes back equal once its fields are declared", arguments: ["csv", "tsv"], 1...3)
  func table(format: String, number: UInt64) throws {
    try seed(number, types: ["A"], elements: Self.elements)
    let types = try JSON(parsing: shell.lines("schema", "A", "--json")[0])
    let fields = types["fields"]?.elements.map { field in
      (field["name"]?.stringValue ?? "", JSONNode.object([("type", .json(field["type"]!))]))
    }
    let declaration = JSONNode.object([
      ("recordType", .object([("name", "A"), ("fields", .object(fields ?? []))])), ("container", "copy"),
    ])
    _ = try shell.lines("call", "saveRecordType", declaration.description)
    let run = try shell.bash(
      "listsrpc export A --format \(format) | listsrpc import - --format \(format) --type A --container copy")
    #expect(run.outputText == "{\"saved\":150,\"failed\":0}\n", "\(run.errorText)")
    #expect(try records(in: "copy") == records())
  }

  @Test(
    "Parse's form goes out and comes back: equal once more, with its dates as fields and numbers as doubles")
  func parse() throws {
    _ = try shell.lines("save", "User", "--name=u1", "name=Ann")
    _ = try shell.lines(
      "save", "Post", "--name=p1", "title=x", "n:=1.5", "at:={\"$date\":\"2026-12-01T00:00:00Z\"}",
      "by:={\"$reference\":{\"recordName\":\"u1\"}}", "raw:={\"$bytes\":\"aGk=\"}", "tags:=[\"a\"]",
      "place:={\"$location\":{\"latitude\":1,\"longitude\":2}}", "o:={\"a\":1}", "done:=true")
    let text = try shell.run("export", "Post", "--format", "parse").outputText
    #expect(text.contains(#""by":{"__type":"Pointer","className":"_User","objectId":"u1"}"#))
    let file = try TextFile(text, named: "Post.json")
    _ = try shell.lines("import", file.path, "--container=copy")
    #expect(
      try shell.run("export", "Post", "--format", "parse", "--container=copy").outputText
        == text.replacing(#""className":"_User""#, with: #""className":null"#))
  }

  /// Types with their rules and indexes, without what differs between two databases that are alike.
  private func declared(in container: String) throws -> [String] {
    try shell.lines("schema", "--json", "--container", container).map { line in
      let type = try JSON(parsing: line)
      let indexes =
        (type["indexes"]?.elements.map { index in
          ["keys", "kind", "collation", "origin"].map { index[$0]?.text ?? "" }.joined(separator: " ")
        }) ?? []
      return [type["name"]?.text, type["automaticIndexes"]?.text, type["fields"]?.text].map { $0 ?? "" }
        .joined(separator: " ") + indexes.joined(separator: ", ")
    }
  }

  @Test(
    "Everything goes out and comes back: types, rules, indexes, zones, assets, and what defaults left alone")
  func everything() throws {
    let folder = try TemporaryFolder()
    _ = try shell.lines("save", "Post", "--name=old", "code=old", "n:=9")
    _ = try shell.lines(
      "declare", "Post", "code:string", "n:int64:sortable", "title:string:searchable,sortable:localized",
      "tags:string-list:queryable", "stars:int64", "--unique=code", "--pattern=code=[a-z]+", "--min=n:=3",
      "--default=stars:=1", "--merge=tags=union", "--index=n,code", "--index=creationDate",
      "--automatic-indexes=off")
    for zone in ["empty", "z 1"] { _ = try shell.lines("call", "saveZone", #"{"zoneName":"\#(zone)"}"#) }
    _ = try runToEnd(["bash", "-c", "printf picture > '\(folder.path)/picture'"])
    _ = try shell.lines(
      "save", "Post", "--name=new", "--zone=z 1", "code=new", "n:=4", "tags:=[]",
      "picture=@\(folder.path)/picture",
      #"o:={"at":{"$date":"x"},"l":[[1],{"$reference":5}],"none":null,"d":1.0,"e":1e3}"#)
    // It comes before what it refers to.
    _ = try shell.lines(
      "save", "Comment", "--name=c",
      #"on:={"$reference":{"recordName":"new","zoneName":"z 1","action":"validate"}}"#)
    let words = "--assets '\(folder.path)/files' --container copy"
    let run = try shell.bash(
      "listsrpc export --all -o '\(folder.path)/all.jsonl' --assets '\(folder.path)/files';"
        + "listsrpc import '\(folder.path)/all.jsonl' \(words) --dry-run;"
        + "listsrpc import '\(folder.path)/all.jsonl' \(words)")
    #expect(
      run.outputText
        == #"{"dryRun":true,"saved":3,"created":3,"changed":0,"failed":0,"zones":["empty","z 1"]}"#
        + "\n{\"saved\":3,\"failed\":0}\n", "\(run.errorText)")
    #expect(try records(in: "copy") == records())
    #expect(try declared(in: "copy") == declared(in: "default"))
    #expect(
      try shell.lines("call", "fetchZones", #"{"container":"copy"}"#)[0].contains(#"{"zoneName":"empty"}"#))
    let copied = try shell.bash("listsrpc schema | listsrpc declare --schema - --container third")
    #expect(copied.ending.status == 0, "\(copied.errorText)")
    #expect(try declared(in: "third") == declared(in: "default"))
  }

  @Test("Parse's numbers are of one type for each field: the declared one, or what all of the file's are")
  func parseNumbers() throws {
    _ = try shell.lines("declare", "Post", "declared:double")
    let rows = (1...3).map {
      #"{"objectId":"p\#($0)","whole":\#($0),"mixed":\#($0 == 3 ? "3.5" : "\($0)"),"declared":\#($0),"list":[1,2]}"#
    }
    let file = try TextFile(#"{"results":[\#(rows.joined(separator: ","))]}"#, named: "Post.json")
    let run = try shell.run("import", file.path)
    #expect(run.outputText == "{\"saved\":3,\"failed\":0}\n")
    #expect(run.errorText.contains("Post.list, Post.whole as int64; Post.mixed as double"))
    #expect(
      try shell.lines("export", "Post", "--fields=whole,mixed,declared,list")[0].contains(
        #""fields":{"whole":1,"mixed":1.0,"declared":1.0,"list":[1,2]}"#))
    let piped = try shell.run(
      "import", "-", "--type=Piped", "--container=piped", input: rows.joined(separator: "\n"))
    #expect(piped.outputText == "{\"saved\":3,\"failed\":0}\n", "\(piped.errorText)")
  }
}
