import Glibc
import Synchronization

/// Ctrl-C and the like while changes are taken in: between two commits the signal ends the program at once, within
/// one as soon as the commit is printed and noted. A second signal ends it whatever it does.
enum Termination {
  private static let idle = 0
  private static let held = 1
  private static let heldAndAsked = 2
  private static let ending = 3
  private static let state = Atomic<Int>(idle)
  private static let asked = Atomic<Int32>(0)

  /// From here on ``hold()`` puts off the end by SIGINT, SIGTERM and SIGHUP. What is ignored stays so: `nohup`, and
  /// shells for programs in the background, ignore some.
  static func watch() {
    for signal in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(signal) {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { Termination.arrived($0) }
      action.sa_flags = SA_RESTART
      sigaction(signal, &action, nil)
    }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// In the signal's handler.
  private static func arrived(_ signal: Int32) {
    asked.store(signal, ordering: .relaxed)
    if state.compareExchange(expected: held, desired: heldAndAsked, ordering: .sequentiallyConsistent)
      .exchanged
    {
      return
    }
    // Not `held`: the program is between two commits, is ending, or was asked before.
    state.store(ending, ordering: .sequentiallyConsistent)
    end(by: signal)
  }

  /// The end waits for ``release()``.
  static func hold() {
    if state.compareExchange(expected: idle, desired: held, ordering: .sequentiallyConsistent).exchanged {
      return
    }
    while state.load(ordering: .sequentiallyConsistent) == ending { pause() }
  }

  /// Ends the program where that was asked for.
  static func release() {
    let old = state.exchange(idle, ordering: .sequentiallyConsistent)
    guard old != idle, old != held else { return }
    end(by: asked.load(ordering: .relaxed))
    while true { pause() }
  }

  /// Ends the program where that was asked for, and goes on holding.
  static func letPass() {
    release()
    hold()
  }

  /// As the signal would have without a handler, so that whoever waits for the program sees why it ended.
  private static func end(by signal: Int32) {
    Glibc.signal(signal, SIG_DFL)
    kill(getpid(), signal)
  }
}
