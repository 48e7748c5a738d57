internal import Dispatch
public import ListsService
internal import Synchronization

/// A service without sockets, in the test's own thread: what its stores deliver is carried over whenever a
/// test waits for a message.
public final class InProcessService {
  public let service: Service
  private let deliveries = DeliveryQueue()
  private let entries = LogEntries()

  /// In memory, for user 1000, unless `configure` says otherwise.
  public init(_ configure: (inout ServiceConfiguration) -> Void = { _ in }) {
    var configuration = ServiceConfiguration(
      location: .memory, access: .owner(userID: 1000), version: "0.1.0")
    configure(&configuration)
    let deliveries = deliveries
    let entries = entries
    service = Service(
      configuration, deliver: { deliveries.append($0) }, log: { entries.append($0) })
  }

  deinit { service.close() }

  /// What was logged so far.
  public var log: [LogEntry] { entries.all }

  public func connect(user: UInt32 = 1000) -> InProcessClient {
    InProcessClient(of: self, user: user)
  }

  /// Carries over the next delivery, waiting for it if need be.
  public func turn() throws {
    guard let delivery = deliveries.next() else { throw HarnessError("the stores deliver nothing") }
    service.receive(delivery)
  }

  /// Carries over what has been delivered already.
  public func settle() {
    while settleOnce() {}
  }

  /// Carries over one delivery, if there is one already; whether there was.
  public func settleOnce() -> Bool {
    guard let delivery = deliveries.nextIfAny() else { return false }
    service.receive(delivery)
    return true
  }
}

/// What the harness could not do; never what a test asserts.
public struct HarnessError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// Deliveries on their way from the stores' threads to the test's.
private final class DeliveryQueue: Sendable {
  private let queue = Mutex<[Delivery]>([])
  private let arrivals = DispatchSemaphore(value: 0)

  func append(_ delivery: Delivery) {
    queue.withLock { $0.append(delivery) }
    arrivals.signal()
  }

  /// Nil when none comes within 20 seconds.
  func next() -> Delivery? {
    guard arrivals.wait(timeout: .now() + 20) == .success else { return nil }
    return queue.withLock { $0.removeFirst() }
  }

  func nextIfAny() -> Delivery? {
    guard arrivals.wait(timeout: .now()) == .success else { return nil }
    return queue.withLock { $0.removeFirst() }
  }
}

private final class LogEntries: Sendable {
  private let entries = Mutex<[LogEntry]>([])

  var all: [LogEntry] { entries.withLock { $0 } }

  func append(_ entry: LogEntry) { entries.withLock { $0.append(entry) } }
}
