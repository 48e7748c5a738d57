internal import Glibc

/// Hands items from any thread to those that take them, in order.
///
/// With a semaphore and no condition variable: those of glibc before 2.41 lose a wake-up now and then, after which the
/// taker would sleep beside a full mailbox (https://sourceware.org/bugzilla/show_bug.cgi?id=25847).
///
/// Unchecked: `items`, `isClosed` and `waiting` are touched only while `mutex` is held.
final class Mailbox<Item: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Posted once for each of those that waited and are to look again.
  private let wakeUps = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private var items: [Item] = []
  private var isClosed = false
  /// How many wait and were not woken yet.
  private var waiting = 0

  init() {
    pthread_mutex_init(mutex, nil)
    sem_init(wakeUps, 0, 0)
  }

  deinit {
    sem_destroy(wakeUps)
    pthread_mutex_destroy(mutex)
    wakeUps.deallocate()
    mutex.deallocate()
  }

  /// Puts the item behind the others. False, and nothing done, after ``close()``.
  ///
  /// `make` is given how many wait already.
  @discardableResult
  func put(_ make: (_ waiting: Int) -> Item) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isClosed else { return false }
    items.append(make(items.count))
    if waiting > 0 {
      waiting -= 1
      sem_post(wakeUps)
    }
    return true
  }

  /// Waits until there is something, and takes everything there is. Nil when nothing will come any more.
  func takeAll() -> [Item]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard awaitItems() else { return nil }
    var taken: [Item] = []
    swap(&taken, &items)
    return taken
  }

  /// Takes everything there is, which may be nothing. Nil when nothing will come any more.
  func takeWaiting() -> [Item]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if items.isEmpty, isClosed { return nil }
    var taken: [Item] = []
    swap(&taken, &items)
    return taken
  }

  /// Waits until there is something, and takes the first. Nil when nothing will come any more.
  func takeFirst() -> Item? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard awaitItems() else { return nil }
    return items.removeFirst()
  }

  /// With the mutex held, before and after. False when nothing will come any more.
  private func awaitItems() -> Bool {
    while items.isEmpty {
      if isClosed { return false }
      waiting += 1
      pthread_mutex_unlock(mutex)
      while sem_wait(wakeUps) != 0 {}
      pthread_mutex_lock(mutex)
    }
    return true
  }

  /// Takes no more; what is in it can still be taken.
  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    while waiting > 0 {
      waiting -= 1
      sem_post(wakeUps)
    }
    pthread_mutex_unlock(mutex)
  }
}
