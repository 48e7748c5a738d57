import RecordStore
import Synchronization
import Testing

@Suite("Threads for work that may block")
struct WorkThreadsTests {
  private final class Count: Sendable {
    let value = Atomic<Int>(0)
    func add() { value.add(1, ordering: .sequentiallyConsistent) }
    var now: Int { value.load(ordering: .sequentiallyConsistent) }
  }

  @Test("a user whose work hangs holds up nobody else, and its own goes on in order when that ends")
  func hangingWork() {
    let threads = WorkThreads()
    let (hangs, begun, done) = (Semaphore(), Semaphore(), Semaphore())
    let order = Mutex<[Int]>([])
    for _ in 0..<4 {
      #expect(
        threads.run(for: 1) {
          begun.signal()
          hangs.wait()
        })
    }
    for _ in 0..<4 { begun.wait() }
    for number in 0..<20 {
      #expect(
        threads.run(for: 1) {
          order.withLock { $0.append(number) }
          done.signal()
        })
    }
    #expect(threads.run(for: 2) { done.signal() })
    done.wait()
    #expect(order.withLock { $0 } == [])
    hangs.signal()
    for _ in 0..<20 { done.wait() }
    #expect(order.withLock { $0 } == Array(0..<20))
    for _ in 0..<3 { hangs.signal() }
  }

  @Test("all that is asked for by many at once is done once")
  func everything() async {
    let threads = WorkThreads()
    let count = Count()
    let done = Semaphore()
    await withTaskGroup(of: Void.self) { group in
      for user in 0..<8 as Range<UInt32> {
        group.addTask {
          for _ in 0..<200 {
            let isTaken = threads.run(for: user) {
              count.add()
              done.signal()
            }
            if !isTaken { done.signal() }
          }
        }
      }
    }
    for _ in 0..<1600 { done.wait() }
    #expect(count.now == 1600)
  }

  @Test("nothing begins after the end")
  func closed() {
    let threads = WorkThreads()
    threads.close()
    #expect(!threads.run(for: 1) {})
  }
}
