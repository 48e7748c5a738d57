import Testing

@testable import RecordStore

struct MailboxTests {
  @Test(
    "Nobody sleeps beside a full mailbox, however often they wait for each other", .timeLimit(.minutes(2)))
  func handOver() {
    let (there, back) = (Mailbox<Int>(), Mailbox<Int>())
    let echo = WorkerThread {
      while let item = there.takeFirst() { back.put { _ in item } }
      back.close()
    }
    let others = WorkerThread { for number in 0..<100_000 { there.put { _ in -number } } }
    for number in 1...100_000 {
      there.put { _ in number }
      while let item = back.takeFirst(), item != number {}
    }
    others?.join()
    there.close()
    echo?.join()
    var rest = 0
    while back.takeAll() != nil { rest += 1 }
    #expect(rest <= 100_000)
  }

  @Test("What is in a closed mailbox is still taken, then nothing; those who wait are woken")
  func closed() {
    let mailbox = Mailbox<Int>()
    mailbox.put { waiting in waiting }
    mailbox.put { waiting in waiting }
    #expect(mailbox.takeFirst() == 0)
    let waiters = (0..<3).map { _ in WorkerThread { while mailbox.takeFirst() != nil {} } }
    mailbox.close()
    for waiter in waiters { waiter?.join() }
    #expect(mailbox.put { _ in 3 } == false)
    #expect(mailbox.takeAll() == nil && mailbox.takeWaiting() == nil)
  }
}
