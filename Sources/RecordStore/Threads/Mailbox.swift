internal import Glibc

/// Hands items from any thread to the one that takes them, in order.
///
/// Unchecked: `items` and `isClosed` are touched only while `mutex` is held.
final class Mailbox<Item: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var items: [Item] = []
  private var isClosed = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
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
    if items.count == 1 { pthread_cond_signal(condition) }
    return true
  }

  /// Waits until there is something, and takes everything there is. Nil when nothing will come any more.
  func takeAll() -> [Item]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while items.isEmpty {
      if isClosed { return nil }
      pthread_cond_wait(condition, mutex)
    }
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
    while items.isEmpty {
      if isClosed { return nil }
      pthread_cond_wait(condition, mutex)
    }
    return items.removeFirst()
  }

  /// Takes no more; what is in it can still be taken.
  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }
}
