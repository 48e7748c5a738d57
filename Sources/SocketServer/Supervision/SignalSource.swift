import CLinux
import Glibc

/// Delivers signals on an event loop instead of interrupting whatever runs (signalfd(2)).
public enum SignalSource {
  /// Blocks the signals in the calling thread and those that it starts from here on. Call it before any
  /// other thread exists: a signal ends the process if one thread lets it through.
  public static func block(_ signals: [Int32]) {
    var set = set(of: signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls `action` on the loop's thread for each of the signals that arrives, which must be blocked.
  /// For as long as the loop lives.
  public static func watch(
    _ signals: [Int32], on loop: EventLoop, _ action: @escaping @Sendable (_ signal: Int32) -> Void
  ) throws(SystemError) {
    var set = set(of: signals)
    let descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError("signalfd") }
    _ = try loop.watch(descriptor, for: EPOLLIN.rawValue) { _ in
      var information = signalfd_siginfo()
      let size = MemoryLayout<signalfd_siginfo>.size
      while read(descriptor, &information, size) == size {
        action(Int32(information.ssi_signo))
      }
    }
  }

  private static func set(of signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
