import DiskErrors
import Files
import Glibc
import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

/// A disk that fails at any one of the calls that change files, or from there on.
@Suite(.serialized) struct DiskErrorTests {
  /// A service's stores, and what is done with them, in steps each of which is done or not.
  private final class Service {
    let folder: TestFolder
    let inbox = Inbox()
    let directory: StoreDirectory
    private let id = StoreID(container: "notes", database: .private(1))

    init(in folder: TestFolder = TestFolder()) {
      self.folder = folder
      let inbox = inbox
      directory = StoreDirectory(
        .folder(folder.file("state")), template: RecordStoreConfiguration(location: .memory),
        maximumContainers: 10
      ) { inbox.deliver($1) }
    }

    func store() throws -> RecordStore { try directory.store(id) }

    /// The code of what it is refused with; nil when it is done.
    func write(_ operations: [WriteOperation], key: String? = nil) -> RecordError? {
      do {
        let key = key.map {
          IdempotencyKey(text: $0, digest: SHA256.digest(of: Array($0.utf8))) { _ in Array("{}".utf8) }
        }
        let ticket = try store().submit(
          WriteRequest(caller: TestStore.caller, operations: operations, idempotencyKey: key))
        switch inbox.outcome(of: ticket) {
        case .write(let result): _ = try result.get()
        case .repeated(let result): _ = try result.get()
        case .read: fatalError("not a read")
        }
        return nil
      } catch let failure as WriteFailure {
        return failure.error
      } catch {
        return error as? RecordError
      }
    }

    func saveAsset(_ content: String) -> RecordError? {
      do {
        let data = Array(content.utf8)
        let part = AssetPart(
          userID: 1, uploadID: nil, size: Int64(data.count), checksum: nil, offset: nil, data: data)
        guard case .whole(let held) = try store().assets.receive(part) else { fatalError("not whole") }
        return write([.saveAsset(held)])
      } catch {
        return error as? RecordError
      }
    }

    /// What there is, as text; nil when it can't be read.
    func content() throws -> [String: String] {
      let reader = try store().makeReader()
      defer { reader.renew() }
      var content: [String: String] = [:]
      for zone in try reader.zones() {
        for name in ["a", "b", "c", "d", "k"] {
          guard let record = try reader.fetch(recordName: name, zoneName: zone) else { continue }
          content["\(zone) \(name)"] = record.fieldsText
        }
      }
      for asset in try reader.assets() {
        content[asset.checksum] = "\(try store().assets.folder.open(asset.checksum).size)"
      }
      return content
    }

    func problems() throws -> [StoreReport.Problem] { try directory.check(id).problems }
  }

  private struct Step: Sendable {
    let name: String
    let body: @Sendable (Service) throws -> RecordError?

    init(_ name: String, _ body: @escaping @Sendable (Service) throws -> RecordError?) {
      self.name = name
      self.body = body
    }
  }

  private static func save(_ json: String) throws -> WriteOperation {
    .save(try draft(json), policy: .allKeys)
  }

  private static let steps: [Step] = [
    Step("declare") { service in
      service.write([
        .saveRecordType(
          RecordTypeDraft(
            name: "Item",
            fields: try declared(#"{"u":{"type":"string","unique":true},"v":{"type":"string"}}"#)))
      ])
    },
    Step("save") { service in
      let long = String(repeating: "x", count: 20_000)
      return service.write([
        try save(#"{"n":"a","u":"1","v":"7"}"#), try save(#"{"n":"b","u":"2","l":"\#(long)"}"#),
        try save(#"{"n":"c","r":\#(reference("a", "deleteSelf"))}"#),
      ])
    },
    Step("asset") { $0.saveAsset("an asset") },
    Step("cascade") { $0.write([deletion("a")]) },
    Step("restore") {
      $0.write([.restore(.init(zoneName: Identifier.defaultZone, recordName: "a", withCascade: true))])
    },
    Step("zone") { service in
      service.write([
        .saveZone(zoneName: "z"),
        .save(RecordDraft(recordType: "Item", recordName: "d", zoneName: "z"), policy: .allKeys),
      ])
    },
    Step("change") { service in
      service.write([
        .saveRecordType(RecordTypeDraft(name: "Item", changes: .init(renamed: [("v", "w")])))
      ])
    },
    Step("once") { $0.write([try save(#"{"n":"k","count":{"$increment":1}}"#)], key: "key") },
    Step("deletion of a zone") { $0.write([.deleteZone(.init(zoneName: "z", ignoresMissing: true))]) },
  ]

  /// Where a step before it was not done, or was done already.
  private static let consequences: [RecordError.Code] = [
    .unknownItem, .serverRecordChanged, .invalidArguments,
  ]
  private static let expected = consequences + [.storageFull, .serviceUnavailable]

  /// Carries all steps out, with a disk that fails at the `first`th call; gives the number of calls.
  private func run(_ first: Int, code: Int32, persists: Bool) throws -> Int {
    let service = Service()
    let what = "\(first) \(code) \(persists)"
    mkdir(service.folder.file("state"), 0o700)
    disk_errors_begin(service.folder.file("state"), first, code, persists ? 1 : 0)
    var failed: [Step] = []
    for step in Self.steps {
      let before = try? service.content()
      guard let error = try step.body(service) else { continue }
      failed.append(step)
      #expect(
        Self.expected.contains(error.code),
        "\(what): \(step.name): \(error)")
      // What failed is not there, also not in part.
      if let before, let after = try? service.content() {
        #expect(before == after, "\(what): \(step.name): \(error)")
      }
    }
    let calls = disk_errors_end()
    if first > 0, !persists, first < calls { #expect(failed.count <= 4, "\(what): \(failed.map(\.name))") }
    // Without a restart everything that was not done can be done now.
    for step in failed {
      let error = try step.body(service)
      #expect(
        error.map { Self.consequences.contains($0.code) } ?? true,
        "\(what): again \(step.name): \(String(describing: error))")
    }
    let problems = try service.problems()
    #expect(problems == [], "\(what): \(problems.map(\.message))")
    let last = try service.content()
    #expect(last["_defaultZone k"] != nil && last["_defaultZone b"] != nil, "\(what): \(last.keys)")
    #expect(service.write([try Self.save(#"{"n":"k"}"#)]) == nil)
    let content = try service.content()
    service.directory.close()
    let again = Service(in: service.folder)
    #expect(try again.content() == content, "\(what)")
    let left = try again.problems()
    #expect(left == [], "\(what): \(left.map(\.message))")
    again.directory.close()
    return calls
  }

  @Test(
    "at whatever call a disk fails, each answer is an error or done, and the service goes on afterwards",
    arguments: [(EIO, false, 1), (EIO, true, 7), (ENOSPC, false, 7), (ENOSPC, true, 7)])
  func everywhere(code: Int32, persists: Bool, step: Int) throws {
    let calls = try run(0, code: code, persists: false)
    #expect(calls > 100)
    for first in stride(from: 1 + calls % step, through: calls + step, by: step) {
      _ = try run(first, code: code, persists: persists)
    }
  }
}
