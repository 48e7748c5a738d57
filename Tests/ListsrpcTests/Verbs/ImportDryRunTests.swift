import Files
import Glibc
import JSONRPC
import ServiceFixture
import Testing

/// What a dry run says of a file, against what the import of it says.
@Suite(.timeLimit(.minutes(5)))
struct ImportDryRunTests {
  let shell: ShellSession
  let folder: TemporaryFolder

  init() throws {
    shell = try ShellSession()
    folder = try TemporaryFolder()
  }

  private func refused(_ name: String) throws -> [String] {
    try runToEnd(["cat", "\(folder.path)/\(name)"]).outputText.split(separator: "\n").map {
      let entry = try JSON(parsing: String($0))
      return "\(entry["place"]?.stringValue ?? ""): \(entry["reason"]?.stringValue ?? "")"
    }.sorted()
  }

  /// Runs both, the dry one first. They must refuse the same rows for the same reasons.
  ///
  /// - Returns: The reasons.
  private func both(_ rows: String, _ words: String...) throws -> [String] {
    let common = [shell.program, "import", "-", "--type=Item"] + words
    let dry = try runToEnd(
      common + ["--dry-run", "--report=\(folder.path)/dry"], environment: shell.environment,
      input: Array(rows.utf8))
    let real = try runToEnd(
      common + ["--report=\(folder.path)/real"], environment: shell.environment, input: Array(rows.utf8))
    #expect(try refused("dry") == refused("real"), "\(dry.errorText)")
    let (counts, others) = (try JSON(parsing: dry.outputText), try JSON(parsing: real.outputText))
    #expect(counts["saved"] == others["saved"] && counts["failed"] == others["failed"])
    #expect(dry.ending == real.ending)
    return try refused("dry")
  }

  @Test("Values that must be unique are refused that others have: records that are there, and rows before")
  func unique() throws {
    _ = try shell.lines("call", "saveZone", #"{"zoneName":"z"}"#)
    _ = try shell.lines(
      "declare", "Item", "code:string", "weight:double", "at:reference", "set:int64-list", "--unique=code",
      "--unique=weight", "--unique=at", "--unique=set")
    _ = try shell.lines("save", "Item", "--name=there", "code=a", "weight:=1", "set:=[1,2]")
    _ = try shell.lines("save", "Item", "--name=other", "--zone=z", "code=b")
    let reasons = try both(
      """
      {"recordName":"n1","code":"a"}
      {"recordName":"n2","code":"b"}
      {"recordName":"n3","weight":1}
      {"recordName":"n4","set":[1,2]}
      {"recordName":"n5","set":[2,1]}
      {"recordName":"there","code":"a"}
      {"recordName":"there","code":"c"}
      {"recordName":"n6","code":"a"}
      {"recordName":"n7","code":"c"}
      {"recordName":"n6","code":null}
      {"recordName":"n8","code":"a"}
      {"recordName":"n9","at":{"$reference":{"recordName":"x"}}}
      {"recordName":"n10","at":{"$reference":{"recordName":"x","zoneName":"z"}}}
      {"recordName":"n11","at":{"$reference":{"recordName":"x","zoneName":"_defaultZone"}}}
      """)
    #expect(
      reasons.map { $0.split(separator: ":")[0] }
        == [14, 1, 2, 3, 4, 9].map { "standard input, line \($0)" })
    #expect(reasons[5].hasSuffix("field 'code' must have a value of its own: 'there' has the same"))
  }

  @Test("References that must lead to a record do when it comes later, or in a circle, or stood there before")
  func references() throws {
    func row(_ name: String, _ target: String, _ zone: String = "_defaultZone") -> String {
      #"{"recordName":"\#(name)","up":{"$reference":{"recordName":"\#(target)","zoneName":"\#(zone)","action":"validate"}}}"#
    }
    _ = try shell.lines("save", "Item", "--name=old", "n:=1")
    let reasons = try both(
      [
        row("a", "b"), row("b", "c"), row("c", "a"), row("self", "self"), row("d", "old"),
        row("e", "missing"),
        row("f", "e"), row("g", "x", "nowhere"), row("h", "late"), #"{"recordName":"late","n":2}"#,
        row("i", "old", "z"), #"{"recordName":"old","n":1,"zoneName":"z"}"#,
      ].joined(separator: "\n"))
    // In one request the circle could be saved; with those that wait for what never comes it is not.
    #expect(reasons.count == 6)
    #expect(try both([row("a", "b"), row("b", "c"), row("c", "a")].joined(separator: "\n")) == [])
  }

  @Test("A record of another type, one that exists, and defaults are known")
  func others() throws {
    _ = try shell.lines("declare", "Item", "n:int64", "--default=n:=5", "--max=n:=9")
    _ = try shell.lines("save", "Other", "--name=other", "x:=1")
    _ = try shell.lines("save", "Item", "--name=there", "n:=8")
    let rows = """
      {"recordName":"other","n":1}
      {"recordName":"there","n":{"$increment":1}}
      {"recordName":"there","m":1}
      {"recordName":"new","m":1}
      """
    #expect(try both(rows, "--policy=ifServerRecordUnchanged").count == 3)
    #expect(try both(rows).count == 1)
    #expect(try both(#"{"recordName":"there","n":{"$increment":1}}"#).count == 1)
  }

  @Test("Assets that are neither there nor in the folder are refused")
  func assets() throws {
    let content = Array("content".utf8)
    let checksum = SHA256.text(of: SHA256.digest(of: content))
    let files = folder.path + "/files"
    try #require(mkdir(files, 0o700) == 0)
    func row(_ name: String, _ checksum: String, _ size: Int) -> String {
      #"{"recordName":"\#(name)","f":{"$asset":{"checksum":"\#(checksum)","size":\#(size)}}}"#
    }
    let other = String(repeating: "a", count: 64)
    let rows = [row("a", checksum, 7), row("b", checksum, 8), row("c", other, 7)].joined(separator: "\n")
    #expect(try both(rows, "--assets=\(files)").count == 3)
    for name in [checksum, other] {
      _ = try runToEnd(["bash", "-c", "printf content > '\(files)/\(name)'"])
    }
    #expect(try both(rows, "--assets=\(files)").count == 2)
    #expect(try both(rows).count == 2)
  }

  @Test("A record whose brackets are too deep for a request is known", arguments: [505, 506, 507, 508, 510])
  func depth(levels: Int) throws {
    let value = String(repeating: "[", count: 1) + String(repeating: #"{"a":"#, count: levels - 1)
    let row = #"{"recordName":"n","o":"# + value + "1" + String(repeating: "}", count: levels - 1) + "]}"
    #expect(try both(row).count == (levels > 506 ? 1 : 0))
  }

  @Test("A zone that the import makes holds up no row of a later batch")
  func newZone() throws {
    let rows = (0..<1200).map { #"{"recordName":"n\#($0 % 700)","zoneName":"new","n":1}"# }
    #expect(try both(rows.joined(separator: "\n")) == [])
  }
}
