import CLinux
import Glibc
import Synchronization

/// One thread that waits for descriptors, timers and work from other threads, and runs what they ask for.
///
/// It is a `SerialExecutor`: an actor that names it as its executor runs on its thread, and the loop's
/// callbacks enter that actor with `assumeIsolated`, without a hop. A turn is: wait, call whoever has
/// something ready, run the work that other threads handed over, fire what is due, and then the
/// end-of-turn actions, where everything that the turn wrote leaves at once.
///
/// The thread that makes the loop owns it until another calls `run()`.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
  // Sendable although unchecked: `inbox` has its own lock, `owner` is atomic, and all other state is
  // touched by the owner thread alone, which every entry point checks.

  /// Called on the loop's thread with the ready events (`EPOLLIN`, …).
  public typealias ReadyAction = @Sendable (_ events: UInt32) -> Void
  /// Called on the loop's thread.
  public typealias Action = @Sendable () -> Void

  /// One watched descriptor.
  public struct Watch: Sendable {
    fileprivate let slot: UInt32
    fileprivate let generation: UInt32
    fileprivate let descriptor: Int32

    fileprivate var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
  }

  /// One scheduled action.
  public struct Timer: Sendable {
    fileprivate let identifier: TimerQueue<Action>.Identifier
  }

  private enum Work {
    case job(UnownedJob)
    case action(Action)
  }

  private struct Inbox {
    var work: [Work] = []
    /// The loop waits, or is about to, and must be woken by the eventfd.
    var isAsleep = false
    var isStopped = false

    mutating func takeWakeNeed() -> Bool {
      defer { isAsleep = false }
      return isAsleep
    }
  }

  private struct Slot {
    var generation: UInt32
    var action: ReadyAction?
  }

  private static let wakeToken = UInt64.max
  private static let eventsPerTurn: Int32 = 256

  private let epoll: Int32
  private let wakeDescriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private let owner: Atomic<UInt>
  private let inbox = Mutex(Inbox())
  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  private var timers = TimerQueue<Action>()
  private var endOfTurnActions: [Action] = []
  private var taken: [Work] = []

  /// Makes a loop that the calling thread owns.
  public init() throws(SystemError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SystemError("epoll_create1") }
    wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard wakeDescriptor >= 0 else {
      let error = SystemError("eventfd")
      close(epoll)
      throw error
    }
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u64 = Self.wakeToken
    let added = epoll_ctl(epoll, EPOLL_CTL_ADD, wakeDescriptor, &event)
    let fault = SystemError("epoll_ctl")
    events = .allocate(capacity: Int(Self.eventsPerTurn))
    owner = Atomic(pthread_self())
    guard added == 0 else { throw fault }
  }

  deinit {
    close(epoll)
    close(wakeDescriptor)
    events.deallocate()
  }

  // MARK: Running

  /// Runs turns on the calling thread until `stop()`.
  public func run() {
    owner.store(pthread_self(), ordering: .releasing)
    while turn() {}
  }

  /// Ends `run()` after the present turn. Any thread.
  public func stop() {
    let mustWake = inbox.withLock { inbox in
      inbox.isStopped = true
      return inbox.takeWakeNeed()
    }
    if mustWake { wake() }
  }

  /// Runs an action on the loop's thread, after everything that was handed over before it. Any thread.
  public func perform(_ action: @escaping Action) {
    enqueue(.action(action))
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    enqueue(.job(UnownedJob(job)))
  }

  public var isOnLoop: Bool { owner.load(ordering: .acquiring) == pthread_self() }

  public func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  public func checkIsolated() {
    precondition(isOnLoop, "this belongs to the event loop's thread")
  }

  private func enqueue(_ work: Work) {
    let mustWake = inbox.withLock { inbox in
      inbox.work.append(work)
      return inbox.takeWakeNeed()
    }
    if mustWake { wake() }
  }

  private func wake() {
    var one: UInt64 = 1
    // EAGAIN would mean that the counter is full, which wakes the loop as well.
    _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// One turn; false when the loop was stopped.
  private func turn() -> Bool {
    let mayBlock = inbox.withLock { inbox -> Bool? in
      if inbox.isStopped {
        inbox.isStopped = false
        return nil
      }
      inbox.isAsleep = inbox.work.isEmpty
      return inbox.isAsleep
    }
    guard let mayBlock else { return false }
    let count = epoll_wait(epoll, events, Self.eventsPerTurn, mayBlock ? timeout() : 0)
    if mayBlock { inbox.withLock { $0.isAsleep = false } }
    if count > 0 {
      for index in 0..<Int(count) { dispatch(events[index]) }
    }
    runInbox()
    fireTimers()
    for action in endOfTurnActions { action() }
    return true
  }

  /// Milliseconds until the next timer, rounded up; -1 when there is none.
  private func timeout() -> Int32 {
    guard let deadline = timers.nextDeadline else { return -1 }
    let now = Self.now()
    if deadline <= now { return 0 }
    return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
  }

  private func dispatch(_ event: epoll_event) {
    let token = event.data.u64
    if token == Self.wakeToken {
      var count: UInt64 = 0
      _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
      return
    }
    // A slot freed earlier in this turn has another generation by now: its event is stale.
    let slot = slots[Int(token & 0xffff_ffff)]
    if slot.generation == UInt32(token >> 32) { slot.action?(event.events) }
  }

  private func runInbox() {
    inbox.withLock { swap(&$0.work, &taken) }
    for work in taken {
      switch work {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .action(let action): action()
      }
    }
    taken.removeAll(keepingCapacity: taken.capacity <= 1024)
  }

  private func fireTimers() {
    if timers.isEmpty { return }
    let now = Self.now()
    while let action = timers.popDue(at: now) { action() }
  }

  // MARK: Descriptors, timers, turns. All of it on the loop's thread.

  /// Calls `action` in every turn in which the descriptor has one of the events (level-triggered), or
  /// is broken (`EPOLLHUP`, `EPOLLERR`).
  public func watch(_ descriptor: Int32, for events: UInt32, _ action: @escaping ReadyAction)
    throws(SystemError) -> Watch
  {
    checkIsolated()
    let slot = freeSlots.popLast() ?? UInt32(slots.count)
    if slot == slots.count { slots.append(Slot(generation: 0, action: nil)) }
    let watch = Watch(slot: slot, generation: slots[Int(slot)].generation, descriptor: descriptor)
    guard control(EPOLL_CTL_ADD, watch, events) == 0 else {
      let error = SystemError("epoll_ctl")
      freeSlots.append(slot)
      throw error
    }
    slots[Int(slot)].action = action
    return watch
  }

  /// Waits for other events from now on; none leaves only `EPOLLHUP` and `EPOLLERR`.
  public func change(_ watch: Watch, to events: UInt32) {
    checkIsolated()
    _ = control(EPOLL_CTL_MOD, watch, events)
  }

  /// Stops watching. Call it before the descriptor is closed.
  public func remove(_ watch: Watch) {
    checkIsolated()
    _ = control(EPOLL_CTL_DEL, watch, 0)
    slots[Int(watch.slot)].action = nil
    slots[Int(watch.slot)].generation &+= 1
    freeSlots.append(watch.slot)
  }

  private func control(_ operation: Int32, _ watch: Watch, _ events: UInt32) -> Int32 {
    var event = epoll_event()
    event.events = events
    event.data.u64 = watch.token
    return epoll_ctl(epoll, operation, watch.descriptor, &event)
  }

  /// Runs an action once, `delay` from now at the earliest (milliseconds count).
  @discardableResult
  public func schedule(after delay: Duration, _ action: @escaping Action) -> Timer {
    checkIsolated()
    let (seconds, attoseconds) = delay.components
    let nanoseconds = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    return Timer(identifier: timers.schedule(at: Self.now() + nanoseconds, action))
  }

  /// Forgets a scheduled action; nothing happens when it already ran.
  public func cancel(_ timer: Timer) {
    checkIsolated()
    timers.cancel(timer.identifier)
  }

  /// Runs an action at the end of every turn, for as long as the loop lives.
  public func atEndOfEveryTurn(_ action: @escaping Action) {
    checkIsolated()
    endOfTurnActions.append(action)
  }

  /// CLOCK_MONOTONIC in nanoseconds.
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
