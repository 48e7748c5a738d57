/// A Redis of the benchmark's own, as the peer that people would run instead: the same records as
/// values, every write synced before its reply (`appendfsync always`).
struct Redis {
  static let arguments = [
    "--port", "0", "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no",
  ]

  /// `GET` or `SET` of the same keys and values as the workload's records.
  static func requests(_ workload: Workload, records: Int) -> [[UInt8]] {
    var random = Xorshift()
    return (0..<32768).map { _ in
      let item = Int(random.next() % UInt64(records))
      let quantity = Int(random.next() % 1000)
      return workload == .fetch
        ? command("GET", Workload.name(of: item))
        : command("SET", Workload.name(of: item), Workload.record(item, quantity: quantity))
    }
  }

  static func fillRequests(records: Int) -> [[UInt8]] {
    (0..<records).map { command("SET", Workload.name(of: $0), Workload.record($0, quantity: $0 % 10)) }
  }

  private static func command(_ words: String...) -> [UInt8] {
    Array("*\(words.count)\r\n".utf8)
      + words.flatMap { Array("$\($0.utf8.count)\r\n\($0)\r\n".utf8) }
  }
}
