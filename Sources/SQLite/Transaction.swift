/// A transaction that is open until it is committed or rolled back; dropped, it rolls back.
///
/// Statements of the connection run inside it. Not nested.
public struct Transaction: ~Copyable {
  public enum Kind: Sendable {
    /// Takes the write lock at once: waiting for it happens here, never in the middle.
    case immediate
    /// A snapshot for reading, taken by the first read.
    case deferred
  }

  private let database: Database
  private var isOpen = true

  /// Begins. `.busy` when the write lock is held by another connection beyond the busy timeout.
  public init(_ kind: Kind, in database: Database) throws(SQLiteError) {
    self.database = database
    try database.cached(kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN").run()
  }

  deinit {
    if isOpen { Self.rollBack(database) }
  }

  /// Makes it durable. On failure nothing of it remains.
  public consuming func commit() throws(SQLiteError) {
    try database.cached("COMMIT").run()
    isOpen = false
  }

  public consuming func rollBack() {
    isOpen = false
    Self.rollBack(database)
  }

  /// The engine may have rolled back by itself (disk full, I/O error); then there is nothing to do.
  private static func rollBack(_ database: Database) {
    guard database.isInTransaction else { return }
    try? database.cached("ROLLBACK").run()
  }
}

/// A part of an open transaction that can be undone by itself.
public struct Savepoint: ~Copyable {
  private let database: Database
  private var isOpen = true

  public init(in database: Database) throws(SQLiteError) {
    self.database = database
    try database.cached("SAVEPOINT part").run()
  }

  deinit {
    if isOpen { try? Self.undo(database) }
  }

  /// Makes it part of the transaction around it.
  public consuming func keep() throws(SQLiteError) {
    try database.cached("RELEASE part").run()
    isOpen = false
  }

  /// Undoes everything since its start; the transaction around it goes on.
  public consuming func undo() throws(SQLiteError) {
    isOpen = false
    try Self.undo(database)
  }

  private static func undo(_ database: Database) throws(SQLiteError) {
    guard database.isInTransaction else { return }
    try database.cached("ROLLBACK TO part").run()
    try database.cached("RELEASE part").run()
  }
}
