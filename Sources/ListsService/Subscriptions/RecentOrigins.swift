/// The connections that made the newest commits, so that a replay can still tell what was the receiver's own
/// doing. Bounded: of older commits, and of those of earlier runs, it is not known.
struct RecentOrigins {
  private static let maximumCommits = 50_000

  /// Of commits that follow each other without holes.
  private var connections: [UInt64] = []
  private var firstCommit: Int64 = 0

  /// Notes the connection that made a commit; each commit once, in order.
  mutating func note(_ connection: UInt64, ofCommit commit: Int64) {
    if connections.isEmpty || commit != firstCommit + Int64(connections.count) {
      connections.removeAll(keepingCapacity: true)
      firstCommit = commit
    }
    // Seldom, so that it costs nothing much.
    if connections.count == 2 * Self.maximumCommits {
      connections.removeFirst(Self.maximumCommits)
      firstCommit += Int64(Self.maximumCommits)
    }
    connections.append(connection)
  }

  /// Whether all the commits are known to be of that connection; false for none.
  func areAll(_ commits: [Int64], of connection: UInt64) -> Bool {
    !commits.isEmpty
      && commits.allSatisfy { commit in
        let place = commit - firstCommit
        return connections.indices.contains(Int(place)) && connections[Int(place)] == connection
      }
  }
}
