/// Room for messages that are larger than what a connection may hold without asking: so many at a time,
/// the others in the order in which they came. This bounds what unfinished messages take of memory,
/// whatever the number of connections. Numbers stand for connections.
struct LargeMessageRoom {
  private let capacity: Int
  private var holders: [(connection: UInt64, since: UInt64)] = []
  private var waiters: [UInt64] = []

  init(capacity: Int) {
    self.capacity = capacity
  }

  var isUnused: Bool { holders.isEmpty && waiters.isEmpty }

  var hasWaiters: Bool { !waiters.isEmpty }

  /// Asks for room at the time `now`; false puts the connection into the queue. Asking again while holding
  /// room changes nothing.
  mutating func enter(_ connection: UInt64, at now: UInt64) -> Bool {
    if holders.contains(where: { $0.connection == connection }) { return true }
    if holders.count < capacity, waiters.isEmpty || waiters.first == connection {
      if !waiters.isEmpty { waiters.removeFirst() }
      holders.append((connection, now))
      return true
    }
    if !waiters.contains(connection) { waiters.append(connection) }
    return false
  }

  /// Gives room, or the place in the queue, back. Returns the connection that should ask again, if any.
  mutating func leave(_ connection: UInt64) -> UInt64? {
    holders.removeAll { $0.connection == connection }
    waiters.removeAll { $0 == connection }
    return holders.count < capacity ? waiters.first : nil
  }

  /// The connection that has held room the longest, and since when.
  var oldestHolder: (connection: UInt64, since: UInt64)? { holders.first }
}
