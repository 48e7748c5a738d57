import SQLite

/// Another program that holds the store's write lock.
final class LockedFile {
  private let database: Database

  init(_ path: String) throws {
    database = try Database(path: path, access: .readWrite, busyTimeout: 5000)
    try database.execute("BEGIN IMMEDIATE")
  }

  func release() {
    try? database.execute("ROLLBACK")
  }
}
