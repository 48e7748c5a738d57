import ArgumentParsing
import JSONRPC
import Testing

@testable import listsrpc

@MainActor
struct RowMappingTests {
  private func mapping(_ options: String...) throws -> RowMapping {
    guard case .run(let arguments) = try Verbs.program.parse(["import"] + options + ["-"]) else {
      throw UsageError("not a command to run")
    }
    return try RowMapping(arguments)
  }

  private func record(_ row: String, _ mapping: RowMapping, names: Set<String> = []) throws -> String {
    try mapping.record(for: JSON(parsing: row), names: names).text
  }

  @Test("Members become fields; name, renaming and choice by options")
  func fields() throws {
    let row = #"{"alpha_2":"BE","name":"Belgium","flag":"🇧🇪","n":1.0}"#
    #expect(
      try record(row, mapping("--type=C")) == #"{"recordType":"C","fields":{"# + row.dropFirst().dropLast()
        + "}}")
    #expect(
      try record(
        row,
        mapping("--type=C", "--name-from=alpha_2", "--rename=name=title", "--fields=name,n", "--zone=z"))
        == #"{"recordType":"C","recordName":"BE","zoneName":"z","fields":{"title":"Belgium","n":1.0}}"#)
  }

  @Test(
    "A reference is made of a template, the first alternative that names a record; none without the field")
  func references() throws {
    let mapping = try mapping(
      "--type=S", "--name-from=code", "--reference=country={code:2}",
      "--reference=parent={parent}|{code:2}-{parent}")
    #expect(mapping.needsAllNames)
    let names: Set = ["GB-ENG", "AZ-NX", "AZ-BAB"]
    #expect(
      try record(#"{"code":"AZ-BAB","parent":"NX"}"#, mapping, names: names)
        == #"{"recordType":"S","recordName":"AZ-BAB","fields":{"code":"AZ-BAB","#
        + #""country":{"$reference":{"recordName":"AZ"}},"parent":{"$reference":{"recordName":"AZ-NX"}}}}"#)
    #expect(
      try record(#"{"code":"GB-BIR","parent":"GB-ENG"}"#, mapping, names: names)
        .contains(#""parent":{"$reference":{"recordName":"GB-ENG"}}"#))
    #expect(!(try record(#"{"code":"GB-ENG"}"#, mapping, names: names)).contains("parent"))
    #expect(throws: RowMapping.Fault.self) {
      try record(#"{"code":"AZ-X","parent":"Y"}"#, mapping, names: names)
    }
  }

  @Test("An exported record comes back under its own type, name and zone, without its tag")
  func records() throws {
    let row =
      #"{"recordType":"T","recordName":"n","zoneName":"z","recordChangeTag":"1","created":{},"fields":{"a":1}}"#
    #expect(
      try record(row, mapping()) == #"{"recordType":"T","recordName":"n","zoneName":"z","fields":{"a":1}}"#)
    #expect(try record(row, mapping("--type=U")).hasPrefix(#"{"recordType":"U""#))
  }

  @Test("Text is converted where asked for; what can't be is a fault that names the field")
  func conversions() throws {
    let mapping = try mapping(
      "--type=T", "--convert=i=int", "--convert=d=double", "--convert=b=boolean", "--convert=w=date",
      "--convert=j=json")
    #expect(
      try record(#"{"i":"7","d":"1.5","b":"no","w":"2026-12-01T00:00:00Z","j":"[1]","s":"8"}"#, mapping)
        == #"{"recordType":"T","fields":{"i":7,"d":1.5,"b":false,"w":{"$date":"2026-12-01T00:00:00Z"},"j":[1],"s":"8"}}"#
    )
    #expect { try record(#"{"i":"7.5"}"#, mapping) } throws: { error in
      (error as? RowMapping.Fault)?.reason.contains("'i' is no int") == true
    }
  }

  @Test("A row without type, without name or that is no object is a fault")
  func faults() throws {
    for (row, options) in [
      (#"{"a":1}"#, []), ("[1]", ["--type=T"]), (#"{"a":1}"#, ["--type=T", "--name-from=b"]),
      (#"{"a":""}"#, ["--type=T", "--name-from=a"]), (#"{"a":null}"#, ["--type=T", "--name-from=a"]),
    ] as [(String, [String])] {
      guard case .run(let arguments) = try Verbs.program.parse(["import"] + options + ["-"]) else { continue }
      #expect(throws: RowMapping.Fault.self) { try record(row, RowMapping(arguments)) }
    }
  }

  @Test(
    "Options that can't be understood are refused",
    arguments: [
      "--rename=a", "--rename==b", "--reference=a", "--reference=a={b", "--reference=a={b:0}",
      "--convert=a=float",
      "--name-from={}", "--name-from=a}", "--name-from={a}|",
    ])
  func options(option: String) {
    #expect(throws: UsageError.self) { try mapping(option) }
  }
}
