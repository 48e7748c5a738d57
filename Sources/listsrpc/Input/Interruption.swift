import CLinux
import Glibc
import Synchronization

/// Ctrl-C during work that ends well between two requests.
enum Interruption {
  private static let flag = Atomic<Bool>(false)
  /// Becomes readable with the interruption, so that a wait for input ends whichever thread the signal met;
  /// -1 while nothing watches for one.
  private static let wake = Atomic<Int32>(-1)

  static var happened: Bool { flag.load(ordering: .relaxed) }

  /// From here on the first SIGINT only sets the flag; a second one ends the program.
  static func watch() {
    wake.store(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), ordering: .relaxed)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      Interruption.flag.store(true, ordering: .relaxed)
      eventfd_write(Interruption.wake.load(ordering: .relaxed), 1)
    }
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    sigaction(SIGINT, &action, nil)
  }

  /// Waits until the descriptor can be read. False when the user interrupted.
  static func waitForInput(_ descriptor: Int32) -> Bool {
    var polls = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.load(ordering: .relaxed), events: Int16(POLLIN), revents: 0),
    ]
    while poll(&polls, 2, -1) < 0 && errno == EINTR && !happened {}
    return !happened
  }
}
