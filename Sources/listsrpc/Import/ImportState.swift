import Glibc
import JSONRPC

/// How far an import has come: everything up to a row was taken, and is saved or told of as refused.
struct ImportPosition: Equatable {
  /// The rows that were read.
  var rows: Int64 = 0
  /// Made of the texts of these rows: another file's is another one.
  var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Moves behind a row.
  mutating func advance(over text: some Collection<UInt8>) {
    rows += 1
    var hash = fingerprint
    func add(_ bytes: UnsafeBufferPointer<UInt8>) {
      // FNV-1a, eight bytes at a time where there are so many.
      var index = 0
      let words = UnsafeRawBufferPointer(bytes)
      while index + 8 <= bytes.count {
        hash = (hash ^ words.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0x100_0000_01b3
        hash ^= hash >> 29
        index += 8
      }
      while index < bytes.count {
        hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3
        index += 1
      }
    }
    let isDone: Void? = text.withContiguousStorageIfAvailable { add($0) }
    if isDone == nil { Array(text).withUnsafeBufferPointer { add($0) } }
    fingerprint = hash ^ UInt64(text.count)
  }
}

/// The file that an import can be gone on from, whatever ended it.
final class ImportState {
  /// What is noted of an import.
  struct Progress: Equatable {
    var position = ImportPosition()
    var saved: Int64 = 0
    var failed: Int64 = 0
    /// How much of the report, and of the rows put off, belongs to that position.
    var reportBytes: Int64 = 0
    var deferredBytes: Int64 = 0
    /// There is nothing left to do.
    var isFinished = false
  }

  /// Made at the beginning, and the same for all runs: names and keys are made of it.
  let id: String
  private(set) var progress: Progress
  /// An earlier run got so far.
  let isResumed: Bool
  var path: String { file.path }
  private let file: LockedFile
  private let what: JSONNode

  /// Opens and locks the file, which is made if there is none.
  ///
  /// - Parameter what: What is imported, and how: the state of anything else is refused.
  /// - Throws: `Failure.trouble`, and the file is as it was.
  init(_ path: String, of what: JSONNode) throws(Failure) {
    self.what = what
    file = try LockedFile(path)
    let bytes = try file.read()
    isResumed = !bytes.isEmpty
    if bytes.isEmpty {
      id = Self.newID()
      progress = Progress()
      try save(progress)
      return
    }
    guard let state = try? JSON(parsing: bytes), state["listsrpc"]?.isString("import") == true,
      let id = state["id"]?.stringValue, let other = state["import"], let read = Progress(state)
    else { throw .trouble("\(file.path) is no state of 'listsrpc import'; it was left alone") }
    guard JSONNode(other) == JSONNode(what.json) else {
      throw .trouble(
        "\(file.path) is the state of another import.\n  there:  \(DisplayText.harmless(other.text))\n"
          + "  asked:  \(DisplayText.harmless(what.json.text))\n"
          + "Use another file, or remove this one to begin anew.")
    }
    self.id = id
    progress = read
  }

  /// Notes how far it is; on the disk when this returns.
  func save(_ progress: Progress) throws(Failure) {
    let members: [(String, JSONNode)] =
      [("listsrpc", "import"), ("id", .string(id)), ("import", what)] + progress.members
    try file.replace(JSONNode.object(members).encoded() + [0x0A])
    self.progress = progress
  }

  /// Another one each time: 32 hexadecimal digits.
  static func newID() -> String {
    var random = SystemRandomNumberGenerator()
    return [random.next(), random.next()].map { (word: UInt64) in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

extension ImportState.Progress {
  fileprivate init?(_ state: JSON) {
    guard let rows = state["rows"]?.int64Value, rows >= 0,
      let fingerprint = state["fingerprint"]?.stringValue.flatMap({ UInt64($0, radix: 16) }),
      let saved = state["saved"]?.int64Value, let failed = state["failed"]?.int64Value,
      let reportBytes = state["reportBytes"]?.int64Value, reportBytes >= 0,
      let deferredBytes = state["deferredBytes"]?.int64Value, deferredBytes >= 0,
      let isFinished = state["isFinished"]?.boolValue
    else { return nil }
    position = ImportPosition(rows: rows, fingerprint: fingerprint)
    self.saved = saved
    self.failed = failed
    self.reportBytes = reportBytes
    self.deferredBytes = deferredBytes
    self.isFinished = isFinished
  }

  fileprivate var members: [(String, JSONNode)] {
    [
      ("rows", .int(position.rows)), ("fingerprint", .string(String(position.fingerprint, radix: 16))),
      ("saved", .int(saved)), ("failed", .int(failed)), ("reportBytes", .int(reportBytes)),
      ("deferredBytes", .int(deferredBytes)), ("isFinished", .bool(isFinished)),
    ]
  }
}
