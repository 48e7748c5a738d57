import JSONRPC
import Records
import SQLite
import Synchronization
import Testing

@testable import RecordStore

@Suite struct GroupCommitTests {
  @Test("what waits for the writer shares a transaction, and is answered together, in order")
  func sharing() throws {
    let store = try TestStore()
    let locked = try LockedFile(store.path)
    let tickets = try (0..<100).map { number in
      store.submit([.save(try draft(#"{"n":"\#(number)","v":1}"#), policy: .allKeys)])
    }
    #expect(!store.inbox.hasAnswer(tickets[0]))
    locked.release()
    for ticket in tickets { _ = try store.inbox.write(ticket).get() }
    // The first may have been taken alone, before the others came.
    #expect(store.inbox.groups.count <= 2)
    #expect(store.inbox.groups.flatMap(\.answers).map(\.ticket) == tickets)
    #expect(store.inbox.changeSets.map(\.sequence) == Array(1...100))
    #expect(store.inbox.changeSets.allSatisfy { $0.changes.count == 1 })
  }

  @Test("an answer comes when the change is in the file, not before")
  func durable() throws {
    let folder = TestFolder()
    let path = folder.file("a.db")
    let found = Mutex<[Int64?]>([])
    let inbox = Inbox()
    let store = try RecordStore(RecordStoreConfiguration(location: .file(path))) { group in
      // What another program sees at the time of the answer.
      let database = try? Database(path: path, access: .readOnly, busyTimeout: 0)
      let commit = try? database?.integer("SELECT lastCommit FROM store")
      found.withLock { $0.append(commit) }
      inbox.deliver(group)
    }
    for number in Int64(1)...10 {
      let operation = WriteOperation.save(try draft(#"{"n":"a","v":\#(number)}"#), policy: .allKeys)
      let request = WriteRequest(caller: TestStore.caller, operations: [operation])
      _ = try inbox.write(store.submit(request)).get()
      #expect(found.withLock { $0.last } == number)
    }
    store.close()
  }

  @Test(
    "everything submitted before the end is carried out, everything after is refused; each is answered once")
  func closing() throws {
    let store = try TestStore()
    let locked = try LockedFile(store.path)
    let accepted = try (0..<20).map { number in
      store.submit([.save(try draft(#"{"n":"\#(number)","v":1}"#), policy: .allKeys)])
    }
    locked.release()
    store.close()
    let refused = store.submit([deletion("0")])
    for ticket in accepted { _ = try store.inbox.write(ticket).get() }
    let failure = #expect(throws: WriteFailure.self) { try store.inbox.write(refused).get() }
    #expect(failure?.error.code == .serviceUnavailable)
    #expect(store.inbox.repeatedAnswers == 0)
    let again = try TestStore(in: store.folder)
    #expect(try again.names().count == 20)
  }

  @Test("more requests than can wait are refused one by one, in their turn")
  func overload() throws {
    var limits = StoreLimits()
    limits.maximumQueuedRequests = 10
    let store = try TestStore(limits: limits)
    let locked = try LockedFile(store.path)
    let tickets = try (0..<50).map { number in
      store.submit([.save(try draft(#"{"n":"\#(number)","v":1}"#), policy: .allKeys)])
    }
    locked.release()
    let results = tickets.map { store.inbox.write($0) }
    let refused = results.filter {
      if case .failure(let failure) = $0 { failure.error.code == .serviceUnavailable } else { false }
    }
    #expect(refused.count >= 30 && refused.count <= 40)
    store.reader.renew()
    #expect(try store.names().count == 50 - refused.count)
  }

  @Test("a ping comes back when the writer has done what came before")
  func ping() throws {
    let store = try TestStore()
    let ticket = store.submit([.save(try draft(#"{"n":"a","v":1}"#), policy: .allKeys)])
    let came = Semaphore()
    store.store.ping { came.signal() }
    came.wait()
    #expect(store.inbox.hasAnswer(ticket))
  }

  @Test("a store in memory is as any other, and leaves nothing behind")
  func memory() throws {
    let inbox = Inbox()
    let store = try RecordStore(RecordStoreConfiguration(location: .memory), deliver: inbox.deliver)
    let operation = WriteOperation.save(try draft(#"{"n":"a","v":1}"#), policy: .allKeys)
    _ = try inbox.write(store.submit(WriteRequest(caller: TestStore.caller, operations: [operation]))).get()
    let reader = store.makeReader()
    #expect(try reader.fetch(recordName: "a") != nil)
    reader.renew()
    store.close()
    let other = try RecordStore(RecordStoreConfiguration(location: .memory), deliver: inbox.deliver)
    #expect(try other.makeReader().fetch(recordName: "a") == nil)
    other.close()
  }
}
