import JSONRPC
import ServiceFixture
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SchemaTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  @Test("What is declared is shown, and can be taken back")
  func declare() throws {
    try shell.seed(3)
    let declared = try shell.lines(
      "declare", "Item", "n:int64:queryable,sortable", "tags:string-list:queryable", "--index", "list,n",
      "--automatic-indexes", "off")
    let type = try JSON(parsing: declared.first ?? "")
    #expect(type["automaticIndexes"]?.boolValue == false)
    let keys = type["indexes"].map { $0.elements.map { $0["keys"]?.text ?? "" } } ?? []
    #expect(Set(keys) == [#"["n"]"#, #"["tags"]"#, #"["list","n"]"#])
    let text = try shell.terminal("schema Item", columns: 120, variables: ["NO_COLOR": "1"])
    #expect(text.hasPrefix("Item  3 records, no automatic indexes\nfield  type          indexes\n"))
    #expect(text.contains("\nn      int64         queryable, sortable\n"))
    let bare = try shell.lines("declare", "Item", "n:int64:none", "tags:string-list:none", "--no-indexes")
    #expect(try JSON(parsing: bare.first ?? "")["indexes"]?.text == "[]")
  }

  @Test("A terminal is told when an index was last used")
  func lastUsed() throws {
    try shell.seed(3)
    _ = try shell.lines("declare", "Item", "n:int64:queryable")
    var isReady = false
    while !isReady { isReady = try shell.lines("schema", "Item")[0].contains(#""state":"ready""#) }
    #expect(try shell.terminal("schema Item", columns: 120).contains("  never\n"))
    #expect(try shell.lines("query", "Item", "--where", "n = 1").count == 1)
    let text = try shell.terminal("schema Item", columns: 120)
    #expect(text.contains("Z\n") && !text.contains("never"))
  }

  @Test("A type that there is not ends with 4; nothing to declare is a mistake of the command line")
  func faults() throws {
    #expect(try shell.run("schema", "Nothing").ending.status == 4)
    #expect(try shell.run("declare", "Item").ending.status == 2)
    #expect(try shell.run("declare", "Item", "n:int64", "--index", "").ending.status == 2)
    #expect(try shell.run("declare", "Item", "--index", "a", "--no-indexes").ending.status == 2)
  }
}

@Suite(.timeLimit(.minutes(5)))
struct CloudKitSchemaTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  @Test("A schema goes out in CloudKit's language and is declared from it in another container")
  func roundTrip() throws {
    _ = try shell.lines(
      "declare", "Item", "name:string:queryable,searchable", "tags:string-list:queryable", "place:location",
      "due:date:sortable", "list:reference", "raw:bytes", "weight:double", "count:int64", "--index",
      "list,due")
    let written = try shell.run("schema", "--ckdb")
    #expect(written.ending.status == 0)
    #expect(written.errorText.contains("list, due"))
    let text = written.outputText
    #expect(text.contains("tags            LIST<STRING> QUERYABLE,\n"))
    let read = try shell.run("declare", "--ckdb", "-", "--container=copy", input: text)
    #expect(read.ending.status == 0, "\(read.errorText)")
    #expect(read.errorText.contains("3 roles and grants mean nothing here"))
    #expect(try shell.run("schema", "--ckdb", "--container=copy").outputText == text)
    // Again, over what is there: the index over several keys stays.
    #expect(try shell.run("declare", "--ckdb", "-", input: text).ending.status == 0)
    #expect(try shell.lines("schema", "Item", "--json")[0].contains(#""keys":["list","due"]"#))
  }

  @Test("Options of system fields become indexes, and go with them; booleans and objects keep their types")
  func systemFields() throws {
    _ = try shell.lines("save", "Item", "done:=true", "place:={\"a\":1}")
    let text =
      "DEFINE SCHEMA RECORD TYPE Item (\"___modTime\" TIMESTAMP SORTABLE, done INT64 QUERYABLE, place STRING);"
    #expect(try shell.run("declare", "--ckdb", "-", input: text).ending.status == 0)
    let schema = try shell.lines("schema", "Item", "--json")[0]
    #expect(
      schema.contains(#""keys":["modificationDate"]"#) && schema.contains(#""name":"done","type":"boolean""#))
    #expect(
      try shell.run("schema", "--ckdb").outputText.contains("\"___modTime\"    TIMESTAMP QUERYABLE SORTABLE"))
    let without = text.replacing("SORTABLE", with: "")
    #expect(try shell.run("declare", "--ckdb", "-", input: without).ending.status == 0)
    #expect(!(try shell.lines("schema", "Item", "--json")[0].contains("modificationDate")))
  }

  @Test(
    "Where one record type of a file is refused none is declared, and a dry run says so without declaring")
  func allOrNothing() throws {
    _ = try shell.lines("save", "B", "x=text")
    let text = "DEFINE SCHEMA RECORD TYPE A (a STRING); RECORD TYPE B (x INT64); RECORD TYPE C (c STRING);"
    for more in [[], ["--dry-run"]] {
      let run = try runToEnd(
        [shell.program, "declare", "--ckdb", "-"] + more, environment: shell.environment,
        input: Array(text.utf8))
      #expect(run.ending.status == 1)
      #expect(run.errorText.contains("B: field 'x' is of type string, not int64\nSo nothing was declared."))
      #expect(try shell.lines("schema").count == 1)
    }
    let fine = text.replacing("INT64", with: "STRING")
    #expect(try shell.run("declare", "--ckdb", "-", "--dry-run", input: fine).ending.status == 0)
    #expect(try shell.lines("schema").count == 1)
    #expect(try shell.run("declare", "--ckdb", "-", input: fine).ending.status == 0)
    #expect(try shell.lines("schema").count == 3)
    _ = try shell.lines("save", "R", "n:=1")
    let described = #"{"name":"R","fields":[{"name":"n","type":"int64","indexes":[],"min":2}],"indexes":[]}"#
    let rules = try shell.run("declare", "--schema", "-", input: described)
    #expect(rules.ending.status == 1 && rules.errorText.contains("R: records break its rules"))
    #expect(try shell.run("declare", "--schema", "-", "R", input: described).ending.status == 2)
    #expect(try shell.run("declare", "--schema", "-", input: "{\"a\":1}").ending.status == 1)
  }

  @Test("A file that can't be read is refused with its place, and a type that can't be declared is named")
  func faults() throws {
    let file = try TextFile("DEFINE SCHEMA\nRECORD TYPE T (\n  a TEXT\n);", named: "bad.ckdb")
    let run = try shell.run("declare", "--ckdb", file.path)
    #expect(run.ending.status == 1)
    #expect(run.errorText.contains("bad.ckdb, line 3, column 5: expected a type"))
    _ = try shell.lines("save", "T", "a:=1")
    let other = try shell.run("declare", "--ckdb", "-", input: "DEFINE SCHEMA RECORD TYPE T (a STRING);")
    #expect(other.ending.status == 1 && other.errorText.contains("T: "))
    #expect(try shell.run("declare", "--ckdb", file.path, "T").ending.status == 2)
    #expect(try shell.run("declare").ending.status == 2)
  }
}
