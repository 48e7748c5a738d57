import Glibc

extension Benchmark {
  private struct Case {
    let name: String
    let matching: [String]
    var others: [String] = []
  }

  /// Each second case is told beside the first: filters that a save does not concern must cost it hardly
  /// anything, and different filters that it concerns not much more than equal ones.
  private static let comparisons = [
    [
      Case(name: "10", matching: FanOut.matching(10)),
      Case(name: "10+990", matching: FanOut.matching(10), others: FanOut.others(990)),
    ],
    [
      Case(name: "100 alike", matching: Array(repeating: FanOut.matching(1)[0], count: 100)),
      Case(name: "100 other", matching: FanOut.matching(100)),
    ],
  ]

  /// What live filters cost that a save concerns, and what those cost that it does not.
  func measureFanOut() throws {
    try Self.allowManyConnections()
    let socketPath = "\(folder)/fanout.sock"
    let service = try ServerProcess(
      [listsd, "--socket", socketPath, "--state-directory", "\(folder)/fanout"],
      socketPath: socketPath, logPath: "\(folder)/log")
    defer { service.stop() }
    let saves = FanOut.Saves()
    try FanOut(socketPath: socketPath, saves: saves, layout: .few, matching: [], others: []).fill()
    print("\nlive filters: saves a second with 16 under way; from a lone save to its last push\n")
    Self.printRow("filters", "sockets", "per second", "p50 µs", "p99 µs", "× saves", "× time")
    for layout in FanOut.Layout.allCases {
      for cases in Self.comparisons { try compare(cases, layout, saves, socketPath) }
    }
  }

  /// The cases in turn, several times, and the middle figures.
  private func compare(_ cases: [Case], _ layout: FanOut.Layout, _ saves: FanOut.Saves, _ socketPath: String)
    throws
  {
    var figures = cases.map { _ in [FanOut.Figures]() }
    for _ in 0..<3 {
      for (index, one) in cases.enumerated() {
        let fanOut = FanOut(
          socketPath: socketPath, saves: saves, layout: layout, matching: one.matching, others: one.others)
        figures[index].append(try fanOut.run(depth: 16, seconds: seconds / 4))
      }
    }
    var first: (saves: Double, time: Double)?
    for (one, figures) in zip(cases, figures) {
      func median(_ value: (FanOut.Figures) -> Double) -> Double {
        figures.map(value).sorted()[figures.count / 2]
      }
      let saves = median(\.perSecond)
      let time = median { $0.latencies.percentile(0.5) }
      let sockets =
        layout.connections(for: one.matching.count)
        + (one.others.isEmpty ? 0 : layout.connections(for: one.others.count))
      Self.printRow(
        one.name, "\(sockets)", "\(Int(saves))", Self.rounded(time),
        Self.rounded(median { $0.latencies.percentile(0.99) }),
        first.map { Self.rounded(saves / $0.saves, to: 100) } ?? "",
        first.map { Self.rounded(time / $0.time, to: 100) } ?? "")
      first = first ?? (saves, time)
    }
  }

  private static func allowManyConnections() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_max > 2000 else {
      throw LoadGenerator.Failure(description: "2,000 open files are not allowed here")
    }
    limit.rlim_cur = max(limit.rlim_cur, 2000)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
