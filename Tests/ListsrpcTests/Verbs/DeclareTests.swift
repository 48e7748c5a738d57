import JSONRPC
import ServiceFixture
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FieldRuleVerbTests {
  let shell: ShellSession

  init() throws { shell = try ShellSession() }

  @Test("Rules are declared, shown, kept to and taken away")
  func rules() throws {
    _ = try shell.lines(
      "declare", "Item", "n:int64", "s:string", "--required", "n", "--min", "n:=0", "--unique", "s",
      "--pattern",
      "s=[a-z]+", "--merge", "n=sum")
    let text = try shell.terminal("schema Item", columns: 120, variables: ["NO_COLOR": "1"])
    #expect(text.contains("required, min 0, merge sum"))
    #expect(text.contains("unique, pattern [a-z]+"))
    let refused = try shell.run("save", "Item", "n:=-1")
    #expect(refused.ending.status == 1)
    #expect(refused.errorText.contains("field 'n' must be 0 at least"))
    _ = try shell.lines("save", "Item", "n:=1", "s=a", "--name", "a")
    let broken = try shell.run("declare", "Item", "--max", "n:=0")
    #expect(broken.errorText.contains("the rule 'max' of n is broken by 1 record"))
    let bare = try shell.lines("declare", "Item", "--no-rule", "n=min", "--no-rule", "s=pattern")
    #expect(bare[0].contains(#"{"name":"n","type":"int64","indexes":[],"required":true,"merge":"sum"}"#))
  }

  @Test("A field is renamed, retyped and dropped, after a dry run that tells what is lost")
  func changes() throws {
    _ = try shell.lines("save", "Item", "qty=12", "old:=true", "--name", "a")
    _ = try shell.lines("save", "Item", "qty=many", "--name", "b")
    let words = ["Item", "--rename", "qty=quantity", "--retype", "quantity=int64", "--drop", "old"]
    let dry = try shell.terminal("declare \(words.joined(separator: " ")) --dry-run", columns: 120)
    #expect(
      dry
        == "2 records would be changed\nwould be lost: 1 value of old\n  a: true\nwould be lost: 1 value of qty\n  b: \"many\"\n"
    )
    let refused = try shell.bash("listsrpc declare \(words.joined(separator: " "))")
    #expect(refused.ending.status == 1)
    #expect(refused.errorText.contains("would be lost: 1 value of qty\n  b: \"many\""))
    _ = try shell.bash("listsrpc declare \(words.joined(separator: " ")) --accept-loss")
    #expect(try shell.lines("fetch", "a")[0].contains(#""fields":{"quantity":12}"#))
    let kept = try shell.run("declare", "Item", "--delete")
    #expect(kept.ending.status == 1)
    _ = try shell.lines("delete", "a", "b")
    _ = try shell.lines("declare", "Item", "--delete")
    #expect(try shell.run("schema", "Item").ending.status == 4)
  }

  @Test(
    "What can't be understood is a mistake of the command line",
    arguments: [
      ["--rename", "a"], ["--rename", "=b"], ["--retype", "a=text"], ["--min", "a"], ["--pattern", "a="],
      ["--no-rule", "a=color"], ["--required", "a", "--no-rule", "a=required"], ["--delete", "--drop", "a"],
      ["--rename", "a=b", "--rename", "a=c"], ["--dry-run"],
    ])
  func faults(words: [String]) throws {
    let run = try runToEnd([shell.program, "declare", "Item"] + words, environment: shell.environment)
    #expect(run.ending.status == 2, "\(run.errorText)")
  }

  @Test("Every type at its edges goes through export and import as it is")
  func exactExport() throws {
    let fields = [
      #""i":[-9223372036854775808,9223372036854775807]"#, #""d":[-0.0,5e-324,1.7976931348623157e+308]"#,
      #""s":"\u0000é\"\\""#, #""t":{"$date":"0001-01-01T00:00:00.000Z"}"#, #""b":{"$bytes":"AP8="}"#,
      #""l":{"$location":{"latitude":-90.0,"longitude":180.0}}"#,
      #""r":[{"$reference":{"recordName":"x","action":"setNull"}}]"#, #""o":{"a":{"b":[1,[null,2.50]]}}"#,
      #""e":[]"#, #""f":false"#,
    ].joined(separator: ",")
    _ = try shell.run("import", "-", input: #"{"recordName":"n","recordType":"T","fields":{\#(fields)}}"#)
    let exported = try shell.lines("export", "T")
    #expect(exported.count == 1)
    let again = try shell.run(
      "--container", "other", "import", "-", input: exported.joined(separator: "\n"))
    #expect(again.ending.status == 0, "\(again.errorText)")
    let copy = try shell.lines("--container", "other", "export", "T")
    func text(_ line: String?) throws -> String? { try JSON(parsing: line ?? "")["fields"]?.text }
    #expect(try text(copy.first) == text(exported.first))
    #expect(try text(exported.first) == "{\(fields)}")
  }
}
