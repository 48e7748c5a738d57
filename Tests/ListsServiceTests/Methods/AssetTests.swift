import CLinux
import Files
import Glibc
import InProcessService
import JSONRPC
import ListsService
import Testing

@Suite("saveAsset and fetchAsset")
struct AssetTests {
  let service = InProcessService()
  let client: InProcessClient

  init() { client = service.connect() }

  private func file(_ content: String) throws -> OwnedDescriptor {
    let file = OwnedDescriptor(clinux_memory_file("test"))
    try #require(write(file.rawValue, content, content.utf8.count) == content.utf8.count)
    return file
  }

  private func request(_ id: Int, _ method: String, _ params: JSONNode) -> JSONNode {
    ["jsonrpc": "2.0", "id": .int(Int64(id)), "method": .string(method), "params": params]
  }

  private func saveFile(_ content: String) throws -> JSONNode? {
    client.send(
      request(1000, "saveAsset", ["size": .int(Int64(content.utf8.count)), "descriptor": true]),
      with: try file(content))
    return try client.receive()["result"]?["asset"]
  }

  @Test("A file passed with a request is saved, and its descriptor passed back with the reply")
  func descriptors() throws {
    let asset = try #require(try saveFile("hello"))
    #expect(asset["size"] == 5)
    let reply = try client.result(
      "fetchAsset", ["checksum": .string(asset["checksum"]?.text ?? ""), "descriptor": true])
    #expect(reply == ["size": 5])
    let passed = try #require(client.outbound.descriptors.first)
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(pread(passed.rawValue, &bytes, 10, 0) == 5)
    #expect(bytes.prefix(5).elementsEqual("hello".utf8))
    #expect(pwrite(passed.rawValue, "x", 1, 0) < 0)
  }

  @Test(
    "A request that needs a descriptor and has none is refused; one that doesn't need it leaves it unused")
  func missingAndSurplus() throws {
    #expect(try client.failure("saveAsset", ["size": 5, "descriptor": true])["parameter"] == "descriptor")
    client.send(request(1, "echo", [1]), with: try file("hello"))
    #expect(try client.receive()["result"] == [1])
    client.send(request(2, "saveAsset", ["size": 5, "data": "aGVsbG8="]), with: try file("other"))
    #expect(try client.receive()["result"]?["asset"]?["size"] == 5)
    #expect(try client.failure("saveAsset", ["size": 5, "descriptor": true])["parameter"] == "descriptor")
  }

  @Test("Of many requests that are sent at once each has its own file")
  func pipeline() throws {
    for number in 0..<50 {
      let content = "file \(number)"
      client.send(
        request(number, "saveAsset", ["size": .int(Int64(content.utf8.count)), "descriptor": true]),
        with: try file(content))
      client.send(request(number, "echo", [.int(Int64(number))]))
    }
    for number in 0..<50 {
      let checksum = SHA256.text(of: SHA256.digest(of: Array("file \(number)".utf8)))
      #expect(try client.receive()["result"]?["asset"]?["checksum"] == .string(checksum))
      #expect(try client.receive()["result"] == [.int(Int64(number))])
    }
  }

  @Test("While a descriptor waits for its turn nothing more is taken in")
  func pausing() throws {
    client.send(request(1, "saveRecord", ["record": ["recordType": "Item", "recordName": "a"]]))
    #expect(client.session.acceptsInput)
    client.send(request(2, "fetchRecord", ["recordName": "a"]))
    client.send(request(3, "saveAsset", ["size": 5, "descriptor": true]), with: try file("hello"))
    #expect(!client.session.acceptsInput)
    #expect(try client.receive()["id"] == 1)
    #expect(try client.receive()["id"] == 2)
    #expect(client.session.acceptsInput)
    #expect(try client.receive()["result"]?["asset"]?["size"] == 5)
  }

  @Test("A batch gives and takes no descriptor")
  func batches() throws {
    let checksum = JSONNode.string(try saveFile("hello")?["checksum"]?.text ?? "")
    client.send(
      [
        request(1, "saveAsset", ["size": 5, "descriptor": true]),
        request(2, "fetchAsset", ["checksum": checksum, "descriptor": true]),
        request(3, "fetchAsset", ["checksum": checksum]),
      ], with: try file("hello"))
    let reply = try client.receive()
    #expect(reply[0]?["error"]?["data"]?["parameter"] == "descriptor")
    #expect(reply[1]?["error"]?["data"]?["parameter"] == "descriptor")
    #expect(reply[2]?["result"]?["data"] == "aGVsbG8=")
    #expect(client.outbound.descriptors.isEmpty)
  }

  @Test("An asset is of its database: another user's are not there")
  func ofTheDatabase() throws {
    let service = InProcessService { $0.access = .everyone }
    let (one, other) = (service.connect(user: 1000), service.connect(user: 1001))
    let asset = try #require(try one.result("saveAsset", ["size": 5, "data": "aGVsbG8="])["asset"])
    let checksum = JSONNode.string(asset["checksum"]?.text ?? "")
    #expect(try other.failure("fetchAsset", ["checksum": checksum])["errorCode"] == "assetFileNotFound")
    #expect(
      try other.failure(
        "saveRecord",
        ["record": ["recordType": "Item", "recordName": "a", "fields": ["f": ["$asset": asset]]]])[
          "errorCode"]
        == "assetFileNotFound")
    let upload = try #require(try one.result("saveAsset", ["size": 5])["uploadID"])
    #expect(try other.failure("saveAsset", ["uploadID": upload])["errorCode"] == "unknownItem")
    #expect(
      try one.failure("saveAsset", ["uploadID": upload, "database": "public"])["errorCode"] == "unknownItem")
  }

  @Test("An upload goes on over another connection")
  func resumed() throws {
    let upload = try #require(try client.result("saveAsset", ["size": 5, "data": "aGVs"])["uploadID"])
    let other = service.connect()
    #expect(try other.result("saveAsset", ["uploadID": upload])["offset"] == 3)
    #expect(try other.result("saveAsset", ["uploadID": upload, "data": "bG8="])["asset"]?["size"] == 5)
  }

  @Test("What is too large is refused before a byte of it is taken")
  func limits() throws {
    let service = InProcessService { $0.limits.maximumAssetBytes = 4 }
    let client = service.connect()
    let failure = try client.failure("saveAsset", ["size": 5, "data": "aGVsbG8="])
    #expect(failure["errorCode"] == "limitExceeded" && failure["limitName"] == "maximumAssetBytes")
    client.send(request(1, "saveAsset", ["size": 5, "descriptor": true]), with: try file("hello"))
    #expect(try client.receive()["error"]?["data"]?["errorCode"] == "limitExceeded")
  }

  @Test("Parameters of no use are refused by name")
  func parameters() throws {
    for (params, parameter) in [
      (["size": -1], "size"), (["size": 5, "checksum": "../a"], "checksum"),
      (["size": 5, "data": "####"], "data"), (["size": 5, "data": 5], "data"),
      (["size": 5, "offset": 1, "data": "aGVsbG8="], "offset"), (["size": 5, "descriptor": 1], "descriptor"),
      (["descriptor": true], "size"), (["size": 5, "descriptor": true, "data": "aGVsbG8="], "data"),
    ] as [(JSONNode, String)] {
      #expect(try client.failure("saveAsset", params)["parameter"] == .string(parameter), "\(params)")
    }
    let checksum = JSONNode.string(String(repeating: "a", count: 64))
    for (params, parameter) in [
      (["checksum": "a"], "checksum"), (["checksum": checksum, "length": 4_194_305], "length"),
      (["checksum": checksum, "offset": 0, "descriptor": true], "descriptor"),
    ] as [(JSONNode, String)] {
      #expect(try client.failure("fetchAsset", params)["parameter"] == .string(parameter), "\(params)")
    }
  }

  @Test("Who went away meanwhile has saved nothing by half")
  func closed() throws {
    client.send(request(1, "saveAsset", ["size": 5, "descriptor": true]), with: try file("hello"))
    client.session.close()
    let other = service.connect()
    #expect(try other.result("saveAsset", ["size": 5, "data": "aGVsbG8="])["asset"]?["size"] == 5)
  }
}
