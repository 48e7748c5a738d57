import JSONRPC

/// When a record was made or changed, and by whom.
public struct Stamp: Sendable, Hashable {
  /// Milliseconds since 1970 (UTC).
  public var timestamp: Int64
  /// `_<uid>`.
  public var userRecordName: String

  public init(timestamp: Int64, userRecordName: String) {
    self.timestamp = timestamp
    self.userRecordName = userRecordName
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("timestamp")
    writer.int(timestamp)
    writer.key("userRecordName")
    writer.string(userRecordName)
    writer.endObject()
  }
}
