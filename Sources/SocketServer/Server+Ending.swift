import Glibc

/// How long a server waits without connections, and for what.
struct IdleWatch {
  var timeout: Duration?
  var onIdle: (@Sendable () -> Void)?
  /// Runs from when the last connection went; one that comes doesn't stop it, its own end sets it anew.
  var timer: EventLoop.Timer?
}

/// A stop that is under way.
struct Stopping {
  var whenDone: @Sendable () -> Void
}

/// How a server ends without losing anything: when nobody needs it, or when it is told to.
extension Server {
  /// Calls `onIdle` once, on the loop's thread, after there was no connection and no work for `timeout`;
  /// nil turns it off. By then the server accepts nothing any more and has seen that nobody waits: who
  /// connects from then on waits in the queue of the listening socket for the next process that has it.
  public func setIdleTimeout(_ timeout: Duration?, onIdle: @escaping @Sendable () -> Void) {
    if let timer = idleWatch.timer { loop.cancel(timer) }
    idleWatch.timer = nil
    idleWatch.timeout = timeout
    idleWatch.onIdle = onIdle
    if connections.isEmpty { becameUnconnected() }
  }

  func becameUnconnected() {
    guard stopping == nil, let timeout = idleWatch.timeout else { return }
    if let timer = idleWatch.timer { loop.cancel(timer) }
    idleWatch.timer = loop.schedule(after: timeout) { [weak self] in
      self?.assumeIsolated { $0.endIfIdle() }
    }
  }

  private func endIfIdle() {
    idleWatch.timer = nil
    guard stopping == nil, connections.isEmpty else { return }
    guard application?.isIdle ?? true else {
      becameUnconnected()
      return
    }
    pauseAccepting()
    let came = listeners.reduce(0) { $0 + accept(on: $1.listener.descriptor) }
    if came > 0 {
      resumeAccepting()
      if connections.isEmpty { becameUnconnected() }
      return
    }
    idleWatch.onIdle?()
  }

  /// Takes what has been sent so far, answers it, closes the connections, and calls `whenDone` on the
  /// loop's thread; after `patience` it closes those that are left. Nothing is accepted any more: who
  /// waits in the queue of an inherited socket stays there. A second call does nothing.
  ///
  /// - Parameter acceptsQueue: take those in the queue too, because the listening socket ends with the
  ///   process.
  public func stop(
    within patience: Duration, acceptsQueue: Bool, whenDone: @escaping @Sendable () -> Void
  ) {
    if stopping != nil { return }
    pauseAccepting()
    if acceptsQueue {
      for (listener, _) in listeners {
        while accept(on: listener.descriptor) > 0 {}
      }
      pauseAccepting()
    }
    stopping = Stopping(whenDone: whenDone)
    for connection in connections.values { receiveLast(on: connection) }
    loop.schedule(after: patience) { [weak self] in
      self?.assumeIsolated { $0.abandonAll() }
    }
    // Even with no connection the answer comes from a later turn.
    loop.perform { [weak self] in
      self?.assumeIsolated { $0.finishStoppingIfDone() }
    }
  }

  private func abandonAll() {
    guard stopping != nil else { return }
    for connection in connections.values {
      connection.end(reason: "the service is stopping")
      connection.abandonOutput()
    }
    loop.perform {}
  }

  func finishStoppingIfDone() {
    guard let stopping, connections.isEmpty else { return }
    // Called once: nothing is accepted after it.
    self.stopping = Stopping(whenDone: {})
    stopping.whenDone()
  }
}
