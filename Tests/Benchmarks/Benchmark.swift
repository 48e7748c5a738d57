import Glibc

/// What a fetch, a query and a durable save cost, what live filters add to a save, how long the first client
/// waits, and the same fetches and saves on Redis where it is installed, so that the ratio is of one run.
@main
struct Benchmark {
  static let usage = """
    usage: listsbench --listsd PROGRAM [--records N] [--seconds N] [--peer PROGRAM]

    Prints requests a second and their times; saves a second and the time to the last push with live
    filters; and the time from a cold activation (client connected, request sent) to the first reply. With `--peer redis-server` the same keys and values go to a Redis
    that syncs every write. Run `taskset -c 0 listsbench …` to compare processor work on one core;
    unpinned, it shows what two cores and the disk do.
    """

  /// Workload, connections, requests outstanding on each.
  static let shapes: [(Workload, clients: Int, depth: Int)] = [
    (.echo, 1, 1), (.fetch, 1, 1), (.fetch, 1, 16), (.fetch, 8, 1), (.fetch, 32, 1),
    (.save, 1, 1), (.save, 8, 1), (.save, 32, 1), (.query, 1, 1), (.query, 8, 1),
  ]

  let listsd: String
  let peer: String?
  let records: Int
  let seconds: Double
  let folder: String

  static func main() throws {
    var values: [String: String] = [:]
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      guard ["--listsd", "--records", "--seconds", "--peer"].contains(word), let value = words.popFirst()
      else { refuse() }
      values[word] = value
    }
    guard let listsd = values["--listsd"], let records = Int(values["--records"] ?? "100000"),
      let seconds = Double(values["--seconds"] ?? "2"), records >= Workload.lists, seconds > 0
    else { refuse() }
    var template = Array("/tmp/listsbench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw LoadGenerator.Failure(description: "can't make a folder in /tmp")
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? ServerProcess.run(["rm", "-rf", folder]) }
    let benchmark = Benchmark(
      listsd: listsd, peer: values["--peer"], records: records, seconds: seconds, folder: folder)
    try benchmark.measureLoad()
    try benchmark.measureFanOut()
    try benchmark.measureActivation(times: 21)
  }

  private static func refuse() -> Never {
    print(usage)
    exit(2)
  }

  private func measureLoad() throws {
    let service = try ServerProcess(
      [listsd, "--socket", "\(folder)/lists.sock", "--state-directory", "\(folder)/state"],
      socketPath: "\(folder)/lists.sock", logPath: "\(folder)/log")
    defer { service.stop() }
    try fill(service, Workload.fillRequests(records: records), framing: .lines)
    let redis = try peer.map {
      try ServerProcess(
        [$0, "--unixsocket", "\(folder)/redis.sock", "--dir", folder] + Redis.arguments,
        socketPath: "\(folder)/redis.sock", logPath: "\(folder)/log")
    }
    defer { redis?.stop() }
    if let redis { try fill(redis, Redis.fillRequests(records: records), framing: .resp) }

    Self.printRow(
      "workload", "clients", "each", "per second", "p50 µs", "p99 µs", peer == nil ? "" : "× Redis")
    for (workload, clients, depth) in Self.shapes {
      func measure(_ server: ServerProcess, _ requests: [[UInt8]], _ framing: ReplyFraming) throws
        -> LoadGenerator.Figures
      {
        try LoadGenerator(socketPath: server.socketPath, clients: clients, depth: depth)
          .run(requests, framing: framing, warmUp: 0.3, seconds: seconds)
      }
      let figures = try measure(service, workload.requests(records: records), .lines)
      var ratio = ""
      if let redis, workload == .fetch || workload == .save {
        let other = try measure(redis, Redis.requests(workload, records: records), .resp)
        ratio = Self.rounded(figures.perSecond / other.perSecond, to: 100)
      }
      Self.printRow(
        workload.rawValue, "\(clients)", "\(depth)", "\(Int(figures.perSecond))",
        Self.rounded(figures.latencies.percentile(0.5)), Self.rounded(figures.latencies.percentile(0.99)),
        ratio)
    }
  }

  private func fill(_ server: ServerProcess, _ requests: [[UInt8]], framing: ReplyFraming) throws {
    var connection = try LoadConnection(server.socketPath, framing: framing)
    defer { close(connection.descriptor) }
    let start = monotonicNanoseconds()
    // Redis's values go one a request: many of them outstanding, as one batch of ours is.
    let outstanding = framing == .resp ? 500 : 1
    for from in stride(from: 0, to: requests.count, by: outstanding) {
      let batch = requests[from..<min(from + outstanding, requests.count)]
      for request in batch { connection.enqueue(request) }
      try connection.flush()
      var owed = batch.count
      while owed > 0 { owed -= try connection.receive().count }
    }
    guard framing == .lines else { return }
    let elapsed = Double(monotonicNanoseconds() - start) / 1e9
    print("\(records) records saved in batches of 500: \(Int(Double(records) / elapsed)) a second\n")
  }

  /// The socket's file is there a moment before anybody listens, and trying it out would start the service.
  private func connectOnceListening(_ path: String) throws -> LoadConnection {
    for _ in 0..<1000 {
      if let connection = try? LoadConnection(path) { return connection }
      usleep(1000)
    }
    return try LoadConnection(path)
  }

  private func measureActivation(times: Int) throws {
    var latencies = Latencies()
    let request = Workload.fetch.requests(records: Workload.lists)[0]
    for _ in 0..<times {
      // It holds the socket, and becomes the service at the first connection.
      let service = try ServerProcess(
        [
          "systemd-socket-activate", "--listen", "\(folder)/cold.sock", "--fdname", "lists",
          listsd, "--state-directory", "\(folder)/state",
        ], socketPath: "\(folder)/cold.sock", logPath: "\(folder)/log", awaitsConnections: false)
      defer { service.stop() }
      var connection = try connectOnceListening(service.socketPath)
      defer { close(connection.descriptor) }
      connection.enqueue(request)
      try connection.flush()
      var replies: [UInt64] = []
      while replies.isEmpty { replies = try connection.receive() }
      latencies.add(replies[0])
    }
    let (median, fastest, slowest) = (
      latencies.percentile(0.5), latencies.percentile(0), latencies.percentile(1)
    )
    print(
      """

      cold activation to the first reply, \(records) records stored, \(times) times: \
      median \(Self.rounded(median / 1000)) ms, fastest \(Self.rounded(fastest / 1000)) ms, \
      slowest \(Self.rounded(slowest / 1000)) ms
      """)
  }

  static func printRow(_ columns: String...) {
    let line = columns.enumerated().map { index, text in
      let padding = String(repeating: " ", count: max(0, (index == 0 ? 9 : 11) - text.count))
      return index == 0 ? text + padding : padding + text
    }
    print(line.joined())
  }

  /// One decimal place, or as many as `scale` has zeros.
  static func rounded(_ value: Double, to scale: Double = 10) -> String {
    "\((value * scale).rounded() / scale)"
  }
}
