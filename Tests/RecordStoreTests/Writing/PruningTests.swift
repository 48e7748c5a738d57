import SQLite
import Testing

@testable import RecordStore

struct PruningTests {
  @Test("Changes that the log was given up with, and that could not be removed then, are removed later")
  func leftovers() throws {
    let folder = TestFolder()
    let first = try TestStore(in: folder)
    for number in 0..<20 { try first.save(#"{"n":"\#(number)","v":1}"#) }
    for number in 0..<5 { try first.delete("\(number)") }
    first.close()
    // As it is behind a write on a full disk, whose log keeps nothing.
    let database = try Database(path: first.path, access: .readWrite, busyTimeout: 1000)
    try database.execute("UPDATE store SET horizon = lastCommit")
    let store = try TestStore(in: folder)
    #expect(try store.problems() != [])
    try store.save(#"{"n":"new","v":1}"#)
    #expect(try store.problems() == [])
    #expect(try store.reader.statistics().changes == 1)
  }
}
