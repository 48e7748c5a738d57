import Glibc
import SQLite
import Testing

@Suite struct DatabaseTests {
  let folder = TemporaryDirectory()

  private func open(
    _ name: String = "a.db", _ access: Database.Access = .readWriteCreate, busyTimeout: Int32 = 0
  ) throws -> Database {
    try Database(path: folder.file(name), access: access, busyTimeout: busyTimeout)
  }

  private func write(_ text: String, to name: String) {
    let descriptor = Glibc.open(folder.file(name), O_CREAT | O_WRONLY, 0o600)
    _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
    close(descriptor)
  }

  @Test("a name with characters of the address syntax is just a name")
  func oddNames() throws {
    for name in ["100%.db", "what?.db", "a#b.db", "ä b.db"] {
      try open(name).execute("CREATE TABLE t(a)")
      #expect(access(folder.file(name), F_OK) == 0)
    }
  }

  @Test("opening what is not there fails and makes nothing")
  func missing() {
    #expect { try open("none.db", .readWrite) } throws: { ($0 as? SQLiteError)?.code == .cannotOpen }
    #expect(access(folder.file("none.db"), F_OK) != 0)
  }

  @Test("a file that is no database says so")
  func notADatabase() throws {
    write("This is text, and more than sixteen bytes of it.", to: "text.db")
    let database = try open("text.db", .readWrite)
    #expect { try database.execute("SELECT * FROM sqlite_schema") } throws: {
      ($0 as? SQLiteError)?.code == .notADatabase
    }
  }

  @Test("a second writer is told that the file is busy")
  func busy() throws {
    let first = try open()
    try first.execute("CREATE TABLE t(a)")
    let second = try open()
    let transaction = try Transaction(.immediate, in: first)
    #expect {
      let other = try Transaction(.immediate, in: second)
      other.rollBack()
    } throws: {
      ($0 as? SQLiteError)?.code == .busy
    }
    try transaction.commit()
    try second.execute("INSERT INTO t VALUES (1)")
  }

  @Test("a full database says so, and goes on when there is room")
  func full() throws {
    let database = try open()
    try database.execute("CREATE TABLE t(a); PRAGMA max_page_count = 4")
    #expect { try database.execute("INSERT INTO t VALUES (zeroblob(100000))") } throws: {
      ($0 as? SQLiteError)?.code == .full
    }
    #expect(!database.isInTransaction)
    try database.execute("PRAGMA max_page_count = 400; INSERT INTO t VALUES (zeroblob(100000))")
  }

  @Test("a constraint and a wrong statement are told apart")
  func constraint() throws {
    let database = try open()
    try database.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
    #expect { try database.execute("INSERT INTO t VALUES (1)") } throws: {
      ($0 as? SQLiteError)?.code == .constraint
    }
    #expect { try database.execute("SELEKT") } throws: { ($0 as? SQLiteError)?.code == .other }
  }

  @Test("an interrupt ends what runs")
  func interrupt() throws {
    let database = try open()
    let endless = try database.prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    var thread = pthread_t()
    let handle = Unmanaged.passRetained(Box(database.interruptHandle))
    pthread_create(
      &thread, nil,
      {
        let box = Unmanaged<Box>.fromOpaque($0!).takeRetainedValue()
        // The statement may not have begun; an interrupt without a running statement is void.
        while !box.isDone.pointee {
          box.handle.interrupt()
          sched_yield()
        }
        return nil
      }, handle.toOpaque())
    let done = handle.takeUnretainedValue().isDone
    #expect { try endless.run() } throws: { ($0 as? SQLiteError)?.code == .interrupted }
    done.pointee = true
    pthread_join(thread, nil)
    done.deallocate()
  }

  @Test("a checkpoint moves the log into the file")
  func checkpoint() throws {
    let database = try open()
    try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let passive = try database.checkpoint(.passive)
    #expect(passive.logged > 0 && passive.logged == passive.copied)
    #expect(try database.checkpoint(.truncate) == CheckpointResult(logged: 0, copied: 0))
  }

  @Test("the connection closes when it and its statements are gone")
  func closes() throws {
    do {
      let database = try open()
      try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a)")
      _ = try database.cached("SELECT * FROM t").step()
    }
    // The last connection takes the log away with it.
    #expect(access(folder.file("a.db-wal"), F_OK) != 0)
  }

  private final class Box {
    let handle: InterruptHandle
    let isDone = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

    init(_ handle: InterruptHandle) {
      self.handle = handle
      isDone.initialize(to: false)
    }
  }
}
