import Glibc

/// The first figures: what a save and a fetch cost, and how long the first client waits.
@main
struct Benchmark {
  static let usage = """
    usage: listsbench --listsd PROGRAM [--records N] [--seconds N]

    Prints requests a second and their times for 1 and 32 clients, and the time from a cold
    activation (client connected, request sent) to the first reply. Run `taskset -c 0 listsbench …`
    to compare processor work on one core; unpinned, it shows what two cores and the disk do.
    """

  static func main() throws {
    var program: String?
    var records = 100_000
    var seconds = 2.0
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      switch (word, words.popFirst()) {
      case ("--listsd", let value?): program = value
      case ("--records", let value?) where Int(value) ?? 0 >= Workload.lists: records = Int(value) ?? records
      case ("--seconds", let value?) where Double(value) ?? 0 > 0: seconds = Double(value) ?? seconds
      default:
        print(usage)
        exit(2)
      }
    }
    guard let program else {
      print(usage)
      exit(2)
    }
    let daemon = try Daemon(program: program)
    defer { daemon.removeFolder() }
    try measureLoad(daemon, records: records, seconds: seconds)
    try measureActivation(daemon, times: 21)
  }

  static func measureLoad(_ daemon: Daemon, records: Int, seconds: Double) throws {
    let process = try daemon.start()
    defer { daemon.stop(process) }
    try fill(daemon, records: records)
    print(row("workload", "clients", "outstanding", "per second", "p50 µs", "p99 µs"))
    let shapes: [(Workload.Kind, Int, Int)] = [
      (.echo, 1, 1), (.fetch, 1, 1), (.fetch, 1, 16), (.fetch, 32, 1),
      (.save, 1, 1), (.save, 8, 1), (.save, 32, 1), (.query, 1, 1), (.query, 8, 1),
    ]
    for (kind, clients, depth) in shapes {
      let generator = LoadGenerator(socketPath: daemon.socketPath, clients: clients, depth: depth)
      let figures = try generator.run(Workload(kind, records: records), warmUp: 0.5, seconds: seconds)
      print(
        row(
          kind.rawValue, "\(clients)", "\(depth)", "\(Int(figures.perSecond))",
          rounded(figures.latencies.percentile(0.5)), rounded(figures.latencies.percentile(0.99))))
    }
  }

  static func fill(_ daemon: Daemon, records: Int) throws {
    let start = monotonicNanoseconds()
    var connection = try LoadConnection(daemon.socketPath)
    defer { close(connection.descriptor) }
    for request in Workload.fillRequests(records: records, batchSize: 500) {
      connection.enqueue(request)
      try connection.flush()
      while try connection.receive().isEmpty {}
    }
    let seconds = Double(monotonicNanoseconds() - start) / 1e9
    print("\(records) records saved in batches of 500: \(Int(Double(records) / seconds)) a second\n")
  }

  static func measureActivation(_ daemon: Daemon, times: Int) throws {
    var latencies = Latencies()
    var workload = Workload(.fetch, records: Workload.lists)
    for _ in 0..<times {
      let process = try daemon.awaitActivation()
      defer { daemon.stop(process) }
      var connection = try LoadConnection(daemon.socketPath)
      defer { close(connection.descriptor) }
      connection.enqueue(workload.nextRequest())
      try connection.flush()
      while true {
        let replies = try connection.receive()
        guard let first = replies.first else { continue }
        latencies.add(first)
        break
      }
    }
    print(
      """

      cold activation to the first reply, \(times) times: median \(rounded(latencies.percentile(0.5) / 1000)) ms, \
      fastest \(rounded(latencies.percentile(0) / 1000)) ms, slowest \(rounded(latencies.percentile(1) / 1000)) ms
      """)
  }

  static func row(_ columns: String...) -> String {
    columns.enumerated().map { index, text in
      let padding = String(repeating: " ", count: max(0, 12 - text.count))
      return index == 0 ? text + padding : padding + text
    }.joined()
  }

  static func rounded(_ value: Double) -> String {
    "\((value * 10).rounded() / 10)"
  }
}
