internal import CSQLite

/// A failure that the engine reported.
///
/// The message is the engine's own wording: for a log, never for a client.
public struct SQLiteError: Error, Sendable, Equatable {
  /// What kind of failure, as far as a caller can act on it.
  public enum Code: Sendable, Equatable {
    /// Another connection holds the lock, and the busy timeout is over.
    case busy
    /// No room for what was to be written.
    case full
    /// The file, or its folder, can't be written.
    case readOnly
    /// The file's content is not well formed.
    case damaged
    /// The file is not a database.
    case notADatabase
    /// The file can't be opened.
    case cannotOpen
    /// The operating system refused to read or write.
    case inputOutput
    /// A uniqueness or other constraint of the schema.
    case constraint
    /// `InterruptHandle.interrupt()` was called.
    case interrupted
    /// A value or a row is larger than the engine takes.
    case tooBig
    /// Anything else: a fault in the caller's SQL or its use of the connection, or no memory.
    case other
  }

  public var code: Code
  /// The engine's extended result code (https://sqlite.org/rescode.html).
  public var extendedCode: Int32
  public var message: String

  public init(extendedCode: Int32, message: String) {
    self.code = Code(extendedCode: extendedCode)
    self.extendedCode = extendedCode
    self.message = message
  }
}

extension SQLiteError.Code {
  init(extendedCode: Int32) {
    self =
      switch extendedCode & 0xff {
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_FULL: .full
      case SQLITE_READONLY, SQLITE_PERM: .readOnly
      case SQLITE_CORRUPT: .damaged
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_CANTOPEN: .cannotOpen
      case SQLITE_IOERR: .inputOutput
      case SQLITE_CONSTRAINT: .constraint
      case SQLITE_INTERRUPT: .interrupted
      case SQLITE_TOOBIG: .tooBig
      default: .other
      }
  }
}

extension SQLiteError: CustomStringConvertible {
  public var description: String { "SQLite error \(extendedCode): \(message)" }
}
