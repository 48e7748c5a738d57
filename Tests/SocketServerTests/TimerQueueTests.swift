import Testing

@testable import SocketServer

@Suite("Timer queue")
struct TimerQueueTests {
  @Test("actions come due by deadline, equal ones in the order scheduled")
  func order() {
    var queue = TimerQueue<Int>()
    for (index, deadline) in [30, 10, 20, 10, 40, 10].enumerated() {
      _ = queue.schedule(at: UInt64(deadline), index)
    }
    #expect(queue.nextDeadline == 10)
    var due: [Int] = []
    while let action = queue.popDue(at: 30) { due.append(action) }
    #expect(due == [1, 3, 5, 2, 0])
    #expect(queue.nextDeadline == 40)
  }

  @Test("a cancelled action never comes due, a cancelled past one changes nothing")
  func cancel() {
    var queue = TimerQueue<Int>()
    let first = queue.schedule(at: 1, 1)
    let second = queue.schedule(at: 2, 2)
    queue.cancel(second)
    let due = [queue.popDue(at: 9), queue.popDue(at: 9)]
    #expect(due == [1, nil])
    queue.cancel(first)
    #expect(queue.isEmpty)
    #expect(queue.nextDeadline == nil)
  }

  @Test("many cancelled ones leave the rest in order")
  func manyCancelled() {
    var queue = TimerQueue<Int>()
    var scheduled: [TimerQueue<Int>.Identifier] = []
    for number in 0..<1000 { scheduled.append(queue.schedule(at: UInt64((number * 7919) % 1000), number)) }
    for number in 0..<1000 where number % 10 != 0 { queue.cancel(scheduled[number]) }
    var due: [Int] = []
    while let action = queue.popDue(at: 1000) { due.append((action * 7919) % 1000) }
    #expect(due.count == 100)
    #expect(due == due.sorted())
  }
}

@Suite("Room for large messages")
struct LargeMessageRoomTests {
  @Test("room goes to those that wait in their order, and the oldest holder is known")
  func order() {
    var room = LargeMessageRoom(capacity: 2)
    let first = [room.enter(1, at: 10), room.enter(2, at: 20), room.enter(3, at: 30), room.enter(4, at: 40)]
    #expect(first == [true, true, false, false])
    let again = room.enter(1, at: 50)
    #expect(again)
    #expect(room.oldestHolder?.connection == 1)
    let next = room.leave(1)
    #expect(next == 3)
    let outOfTurn = room.enter(4, at: 60)
    let inTurn = room.enter(3, at: 60)
    #expect(!outOfTurn && inTurn)
    #expect(room.oldestHolder?.connection == 2)
    let afterWaiterLeft = room.leave(4)
    #expect(afterWaiterLeft == nil)
    #expect(!room.hasWaiters)
  }
}
