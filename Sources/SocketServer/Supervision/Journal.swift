import CSystemd
import Glibc
import Synchronization

/// Where log entries go: to the journal as structured entries when systemd started the process, else to
/// standard error as lines. Any thread.
public final class Journal: Sendable {
  /// syslog(3) levels.
  public enum Priority: Int, Sendable, CaseIterable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    public var name: String { "\(self)" }

    /// By name, such as `info`.
    public init?(name: String) {
      guard let priority = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = priority
    }
  }

  /// One named value of an entry. Names are in capitals, digits and underscores
  /// (systemd.journal-fields(7)).
  public struct Field: Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  private let identifier: String
  private let reachesJournal: Bool
  private let threshold: Atomic<Int>

  /// - Parameters:
  ///   - identifier: the program's name, SYSLOG_IDENTIFIER of its entries.
  ///   - level: what is less important than this is not written.
  public init(identifier: String, level: Priority = .info) {
    self.identifier = identifier
    reachesJournal = Self.standardErrorIsJournal()
    threshold = Atomic(level.rawValue)
  }

  /// What is less important than this is not written.
  public var level: Priority {
    get { Priority(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
    set { threshold.store(newValue.rawValue, ordering: .relaxed) }
  }

  public func write(_ priority: Priority, _ message: String, _ fields: [Field] = []) {
    guard priority.rawValue <= threshold.load(ordering: .relaxed) else { return }
    if reachesJournal {
      send(priority, message, fields)
    } else {
      print(priority, message, fields)
    }
  }

  /// JOURNAL_STREAM names the device and inode of the stream that leads to the journal (systemd.exec(5)).
  private static func standardErrorIsJournal() -> Bool {
    guard let stream = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }

  private func send(_ priority: Priority, _ message: String, _ fields: [Field]) {
    let entries =
      [
        "MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=\(identifier)",
      ] + fields.map { "\($0.name)=\($0.value)" }
    var texts = entries.map { Array($0.utf8) }
    withVectors(of: &texts) { vectors in
      _ = sd_journal_sendv(vectors.baseAddress, Int32(vectors.count))
    }
  }

  private func withVectors(of texts: inout [[UInt8]], _ body: (UnsafeBufferPointer<iovec>) -> Void) {
    var vectors: [iovec] = []
    var all = texts.flatMap { $0 }
    all.withUnsafeMutableBytes { bytes in
      var start = 0
      for text in texts {
        vectors.append(iovec(iov_base: bytes.baseAddress?.advanced(by: start), iov_len: text.count))
        start += text.count
      }
      vectors.withUnsafeBufferPointer(body)
    }
  }

  private func print(_ priority: Priority, _ message: String, _ fields: [Field]) {
    var line = "\(identifier): \(priority.name): \(Self.oneLine(message))"
    if !fields.isEmpty {
      line += " (" + fields.map { "\($0.name)=\(Self.oneLine($0.value))" }.joined(separator: " ") + ")"
    }
    let bytes = Array((line + "\n").utf8)
    // One call a line, so that lines of several threads don't mix. What can't be written is lost.
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// A client's text can't forge a second line.
  private static func oneLine(_ text: String) -> String {
    if !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
  }
}
