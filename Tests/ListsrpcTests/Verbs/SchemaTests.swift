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
