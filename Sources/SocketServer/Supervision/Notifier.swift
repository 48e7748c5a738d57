import CLinux
import CSystemd

/// Tells the service manager how the service is (sd_notify(3)). Does nothing when there is none.
/// Any thread.
public struct Notifier: Sendable {
  public init() {}

  /// The service can answer.
  public func ready(status: String) {
    send("READY=1\nSTATUS=\(status)")
  }

  public func status(_ text: String) {
    send("STATUS=\(text)")
  }

  /// The configuration is being read anew; `ready` says that it was.
  public func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(EventLoop.now() / 1000)")
  }

  /// From here on nothing is accepted.
  public func stopping(status: String) {
    send("STOPPING=1\nSTATUS=\(status)")
  }

  /// The service lives.
  public func watchdog() {
    send("WATCHDOG=1")
  }

  /// Starting or stopping takes up to this much longer.
  public func extendTimeout(by duration: Duration) {
    send("EXTEND_TIMEOUT_USEC=\(duration.components.seconds * 1_000_000)")
  }

  /// How long the manager waits for a sign of life before it restarts the service; nil when it doesn't.
  public var watchdogTimeout: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  private func send(_ state: String) {
    _ = sd_notify(0, state)
  }
}
