import CLinux
import Files
import Glibc
import Records
import SQLite
import Synchronization

@testable import RecordStore

/// A clock that tests move.
final class TestClock: Sendable {
  private let value: Atomic<Int64>

  init(_ time: Int64) { value = Atomic(time) }

  var time: Int64 {
    get { value.load(ordering: .sequentiallyConsistent) }
    set { value.store(newValue, ordering: .sequentiallyConsistent) }
  }
}

extension TestStore {
  var assetFolder: String { store.assets.folder.path }

  func filePath(_ checksum: String) -> String { "\(assetFolder)/\(checksum.prefix(2))/\(checksum)" }

  /// The checksums of all files, in order.
  var files: [String] { store.assets.folder.sweep().sorted() }

  func content(of checksum: String) -> String {
    String(decoding: File.read(filePath(checksum)), as: UTF8.self)
  }

  /// Brings a file in, without making it an asset.
  func receive(_ content: [UInt8]) throws -> HeldAsset {
    let part = AssetPart(
      userID: 1000, uploadID: nil, size: Int64(content.count), checksum: nil, offset: nil, data: content)
    guard case .whole(let held) = try store.assets.receive(part) else { fatalError("not whole") }
    return held
  }

  func receive(_ content: String) throws -> HeldAsset { try receive(Array(content.utf8)) }

  func copy(_ content: [UInt8]) throws -> HeldAsset {
    let file = OwnedDescriptor(clinux_memory_file("test"))
    var rest = content[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(rest.withUnsafeBytes { Glibc.write(file.rawValue, $0.baseAddress, $0.count) })
    }
    return try store.assets.copy(file, size: Int64(content.count), checksum: nil)
  }

  @discardableResult
  func saveAsset(_ content: String) throws -> Asset {
    let held = try receive(content)
    do {
      guard case .savedAsset(let asset) = try write([.saveAsset(held)]).items[0].get() else { fatalError() }
      return asset
    } catch let failure as WriteFailure {
      throw failure.error
    }
  }

  /// The JSON of a record with these, in one field or in a list.
  func record(_ name: String, _ assets: Asset...) -> String {
    let values = assets.map { #"{"$asset":{"checksum":"\#($0.checksum)","size":\#($0.size)}}"# }
    let value = values.count == 1 ? values[0] : "[\(values.joined(separator: ","))]"
    return #"{"type":"\#(values.count == 1 ? "Item" : "List")","n":"\#(name)","f":\#(value)}"#
  }

  /// Has the writer look for assets to remove, and waits until their files are gone.
  func collectAssets() {
    turn()
    store.assets.folder.removeCondemned()
  }

  /// Waits until the background has left only these.
  func waitForFiles(_ checksums: [String]) {
    while files != checksums { turn() }
  }

  /// Changes rows behind the writer's back.
  func inRows(_ sql: String) throws {
    try Database(path: path, access: .readWrite, busyTimeout: 5000).execute(sql)
  }

  /// As if every change had become too old.
  func forgetHistory() throws {
    try inRows(
      """
      DELETE FROM assetUse WHERE until IS NOT NULL; DELETE FROM change;
      UPDATE store SET horizon = lastCommit, changes = 0, changeBytes = 0
      """)
  }
}
