/// Actions to run at given times, earliest first; a state machine without a clock of its own.
///
/// Cancelled entries stay in the heap until their time comes or they are in the majority.
struct TimerQueue<Action> {
  /// Names one scheduled action, never reused.
  struct Identifier: Hashable, Sendable {
    let number: UInt64
  }

  private var heap: [(deadline: UInt64, number: UInt64)] = []
  private var actions: [UInt64: Action] = [:]
  private var scheduled: UInt64 = 0

  var isEmpty: Bool { actions.isEmpty }

  /// The earliest deadline, or nil when nothing is scheduled. A cancelled entry may make it too early,
  /// never too late.
  var nextDeadline: UInt64? { actions.isEmpty ? nil : heap.first?.deadline }

  /// Schedules an action. Those of equal deadlines come due in the order scheduled.
  mutating func schedule(at deadline: UInt64, _ action: Action) -> Identifier {
    scheduled += 1
    actions[scheduled] = action
    heap.append((deadline, scheduled))
    siftUp(heap.count - 1)
    return Identifier(number: scheduled)
  }

  /// Forgets an action; nothing happens when it has already come due.
  mutating func cancel(_ identifier: Identifier) {
    actions[identifier.number] = nil
    if heap.count > 64, heap.count > actions.count * 2 {
      heap = heap.filter { actions[$0.number] != nil }
      for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }
  }

  /// Takes out the earliest action whose deadline is not after `now`.
  mutating func popDue(at now: UInt64) -> Action? {
    while let first = heap.first, first.deadline <= now {
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
      siftDown(0)
      if let action = actions.removeValue(forKey: first.number) { return action }
    }
    return nil
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].deadline, heap[left].number) < (heap[right].deadline, heap[right].number)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) {
        least = child
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
