import Glibc
import JSONRPC
import ServiceFixture
import Testing

@testable import listsrpc

@Suite(.timeLimit(.minutes(5)))
struct AssetFolderTests {
  let shell: ShellSession
  let folder: TemporaryFolder

  init() throws {
    shell = try ShellSession()
    folder = try TemporaryFolder()
  }

  /// Saves an asset by the protocol's own means; its JSON.
  private func asset(_ content: [UInt8]) throws -> String {
    var reply = try JSON(parsing: shell.lines("call", "saveAsset", #"{"size":\#(content.count)}"#)[0])
    while reply["asset"] == nil {
      let upload = try #require(reply["uploadID"]?.stringValue)
      let offset = Int(try #require(reply["offset"]?.int64Value))
      let part = Array(content[offset..<min(offset + (1 << 20), content.count)])
      let file = try TextFile(part.isEmpty ? "" : String(decoding: part, as: UTF8.self), named: "part")
      let data = try runToEnd(["base64", "-w0", file.path]).outputText
      reply = try JSON(
        parsing: shell.lines(
          "call", "saveAsset", "-", input: #"{"uploadID":"\#(upload)","offset":\#(offset),"data":"\#(data)"}"#
        )[0])
    }
    return try #require(reply["asset"]?.text)
  }

  @Test("Assets go out as files under their checksums and come back, alone, in lists, empty and large ones")
  func roundTrip() throws {
    let large = Array(repeating: UInt8(ascii: "x"), count: 7_000_001)
    let assets = try [asset(Array("hello".utf8)), asset([]), asset(large)].map { #"{"$asset":\#($0)}"# }
    _ = try shell.lines(
      "save", "Photo", "--name=a", "file:=\(assets[0])", "all:=[\(assets.joined(separator: ","))]")
    _ = try shell.lines("save", "Photo", "--name=b", "file:=\(assets[2])")
    let files = "\(folder.path)/files"
    let exported = try shell.run("export", "--assets", files, "-o", "\(folder.path)/all.jsonl")
    #expect(exported.ending.status == 0, "\(exported.errorText)")
    let sums = try runToEnd(["bash", "-c", "cd '\(files)' && ls | while read f; do sha256sum $f; done"])
    let lines = sums.outputText.split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.prefix(64) == $0.suffix(64) })

    let imported = try shell.run(
      "import", "\(folder.path)/all.jsonl", "--assets", files, "--container=copy", "--resume",
      "\(folder.path)/state")
    #expect(imported.outputText == "{\"saved\":2,\"failed\":0}\n", "\(imported.errorText)")
    for name in ["a", "b"] {
      let there = try JSON(parsing: shell.lines("fetch", name, "--container=copy")[0])["fields"]?.text
      #expect(try there == JSON(parsing: shell.lines("fetch", name)[0])["fields"]?.text)
    }
    let again = try shell.run("export", "--assets", "\(folder.path)/again", "--container=copy")
    #expect(again.ending.status == 0, "\(again.errorText)")
    #expect(try runToEnd(["diff", "-r", files, "\(folder.path)/again"]).ending.status == 0)
  }

  @Test(
    "A record whose file is missing, or is another one, is refused with the asset's checksum; others are saved"
  )
  func refused() throws {
    let good = try asset(Array("good".utf8))
    let bad = String(repeating: "ab", count: 32)
    let gone = String(repeating: "cd", count: 32)
    let rows = [good, #"{"checksum":"\#(bad)","size":5}"#, #"{"checksum":"\#(gone)","size":5}"#].enumerated()
      .map {
        #"{"recordType":"T","recordName":"n\#($0)","fields":{"f":{"$asset":\#($1)}}}"#
      }
    let file = try TextFile("other", named: bad)
    let run = try shell.run(
      "import", "-", "--assets", String(file.path.dropLast(bad.utf8.count + 1)),
      input: rows.joined(separator: "\n"))
    #expect(run.outputText == "{\"saved\":1,\"failed\":2}\n")
    #expect(run.errorText.contains(bad) && run.errorText.contains(gone))
  }
}
