import ArgumentParsing
import Testing

/// A program with verbs, as `listsrpc` is one.
private let program = Command(
  "tool", "Do things",
  options: [
    Option("socket", letter: "s", takes: "PATH", completion: .file, "Use this socket"),
    Option("json", "Print JSON"),
  ],
  commands: [
    Command(
      "query", "Query records",
      options: [
        Option("limit", letter: "n", takes: "NUMBER", "Stop after that many"),
        Option("all", letter: "a", "Follow the cursor"),
        Option("sort", takes: "KEY", "Sort by a key", isRepeatable: true),
        Option("policy", takes: "POLICY", completion: .choices(["changedKeys", "allKeys"]), "How"),
      ],
      operands: [Operand("TYPE", "The record type"), Operand("KEY", "Keys", count: .any)]),
    Command("status", "Show the state", options: [Option("watch", "Again and again")]),
  ])

private func arguments(_ words: String...) throws -> Arguments {
  guard case .run(let arguments) = try program.parse(words) else {
    throw UsageError("not a command to run")
  }
  return arguments
}

private func message(_ words: String...) -> String? {
  do {
    _ = try program.parse(words)
    return nil
  } catch {
    return error.message
  }
}

struct ArgumentParserTests {
  @Test("A value follows its option after = or as the next word")
  func values() throws {
    #expect(try arguments("query", "T", "--limit=3").value("limit") == "3")
    #expect(try arguments("query", "T", "--limit", "3").value("limit") == "3")
    #expect(try arguments("query", "T", "-n3").value("limit") == "3")
    #expect(try arguments("query", "T", "-n", "3").value("limit") == "3")
    #expect(try arguments("query", "T", "--limit=").value("limit") == "")
    #expect(try arguments("query", "T", "--sort=a=b").value("sort") == "a=b")
    #expect(try arguments("query", "T", "--limit", "--all").value("limit") == "--all")
  }

  @Test("Letters may be bundled, the last of them with its value")
  func bundles() throws {
    let parsed = try arguments("query", "-an7", "T")
    #expect(parsed.has("all"))
    #expect(parsed.value("limit") == "7")
    #expect(parsed.operands == ["T"])
  }

  @Test("Options of the program are accepted before and after the verb")
  func inherited() throws {
    #expect(try arguments("--json", "query", "T").has("json"))
    #expect(try arguments("query", "T", "--json").has("json"))
    #expect(try arguments("query", "--json", "T").path == ["tool", "query"])
  }

  @Test("After -- everything is an operand, and - alone always is")
  func operands() throws {
    #expect(try arguments("query", "T", "--", "--all", "-n").operands == ["T", "--all", "-n"])
    #expect(try arguments("query", "-").operands == ["-"])
    #expect(try arguments("query", "T", "--", "--").operands == ["T", "--"])
  }

  @Test("A repeatable option keeps every value in order, another one its last")
  func repeated() throws {
    let parsed = try arguments("query", "T", "--sort=a", "--limit=1", "--sort", "b", "--limit=2")
    #expect(parsed.values("sort") == ["a", "b"])
    #expect(parsed.value("limit") == "2")
  }

  @Test(
    "An error names the argument at fault and what may have been meant",
    arguments: [
      (["query", "T", "--limt=3"], "unknown option '--limt' (did you mean '--limit'?)"),
      (["query", "T", "--lim=3"], "unknown option '--lim' (did you mean '--limit'?)"),
      (["query", "T", "--xyzzy"], "unknown option '--xyzzy'"),
      (["query", "T", "-x"], "unknown option '-x'"),
      (["qurey", "T"], "unknown command 'qurey' (did you mean 'query'?)"),
      (["query", "T", "--watch"], "--watch is an option of 'status', not of 'query'"),
      (["query", "T", "--all=yes"], "--all takes no value"),
      (["query", "T", "--limit"], "--limit needs a value: --limit NUMBER"),
      (["query", "T", "-n"], "-n needs a value: -n NUMBER"),
      (["query"], "TYPE is missing"),
      ([], "a command is missing, such as 'query'"),
      (["status", "now"], "unexpected argument 'now'"),
      (
        ["query", "T", "--policy=allkeys"],
        "--policy takes one of changedKeys, allKeys, not 'allkeys' (did you mean 'allKeys'?)"
      ),
    ])
  func errors(words: [String], expected: String) {
    #expect(throws: UsageError(expected)) { try program.parse(words) }
  }

  @Test("A number out of its range is refused by the option's name")
  func numbers() throws {
    #expect(try arguments("query", "T", "--limit=12").integer("limit") == 12)
    #expect(try arguments("query", "T").integer("limit") == nil)
    #expect(throws: UsageError("--limit takes a whole number from 1 to 10, not '0'")) {
      try arguments("query", "T", "--limit=0").integer("limit", in: 1...10)
    }
    #expect(throws: UsageError("--limit takes a whole number of 0 or more, not '1.5'")) {
      try arguments("query", "T", "--limit=1.5").integer("limit")
    }
    #expect(try arguments("query", "T", "--limit=1.5").number("limit") == 1.5)
  }

  @Test("Help and version are asked for anywhere, also where operands are missing")
  func help() throws {
    for words in [["--help"], ["-h"], ["query", "--help"], ["--help", "query"]] {
      guard case .help(let text) = try program.parse(words) else {
        Issue.record("no help for \(words)")
        continue
      }
      #expect(text.contains("Usage: tool"))
    }
    guard case .version = try program.parse(["--version"]) else {
      Issue.record("no version")
      return
    }
  }

  @Test("A slip of one or two letters finds the word; something else finds none")
  func suggestions() {
    #expect(message("quer", "T")?.contains("'query'") == true)
    #expect(message("stauts")?.contains("'status'") == true)
    #expect(message("frobnicate")?.contains("did you mean") == false)
  }
}

struct HelpTextTests {
  private func help(_ words: String..., columns: Int = 80) throws -> String {
    guard case .help(let text) = try program.parse(words + ["--help"], columns: columns) else {
      throw UsageError("no help")
    }
    return text
  }

  @Test("The help of a verb lists its arguments, its options and the common ones")
  func verb() throws {
    #expect(
      try help("query") == """
        Usage: tool query [OPTION]... TYPE [KEY]...

        Query records.

        Arguments:
          TYPE  The record type
          KEY   Keys

        Options:
          -n, --limit NUMBER   Stop after that many
          -a, --all            Follow the cursor
              --sort KEY       Sort by a key
              --policy POLICY  How
          -h, --help           Show this help and exit

        Common options:
          -s, --socket PATH  Use this socket
              --json         Print JSON

        """)
  }

  @Test("No line is wider than the terminal where words allow it")
  func width() throws {
    for columns in [40, 60, 100] {
      let widest = try help("query", columns: columns).split(separator: "\n").map(\.count).max() ?? 0
      #expect(widest <= max(columns, 46))
    }
  }
}
