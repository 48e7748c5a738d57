internal import Glibc

/// A thread of the operating system that runs one function.
struct WorkerThread: Sendable {
  private let thread: pthread_t

  /// Starts it. Nil when the system has no room for another thread.
  ///
  /// All signals are blocked in it: they are the main thread's affair.
  init?(_ body: sending @escaping () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      return nil
    }
    self.thread = thread
  }

  /// Lets it end by itself. Instead of ``join()``.
  func detach() {
    pthread_detach(thread)
  }

  /// Waits for its end. To be called once.
  func join() {
    pthread_join(thread, nil)
  }

  private final class Body {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
  }
}
