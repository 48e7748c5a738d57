import Glibc

/// One writer, and live filters of others on the same records: saves a second, and the time from a save to the
/// last push that it makes.
struct FanOut {
  /// How subscribers are spread over connections.
  enum Layout: CaseIterable {
    case few
    /// Each has its own.
    case own

    func connections(for subscribers: Int) -> Int { self == .own ? subscribers : min(subscribers, 4) }
  }

  struct Figures {
    var perSecond: Double
    /// From a save that is alone to the last push of it.
    var latencies: Latencies
  }

  /// Filters that every one of the ``Saves`` concerns, before and after; each another one.
  static func matching(_ count: Int) -> [String] {
    (0..<count).map {
      $0.isMultiple(of: 2) ? "owner == 'ann' AND size != \($0 + 5000)" : "size BETWEEN {-\($0), 999}"
    }
  }

  /// Filters that none concerns: equalities and ranges, each another one.
  static func others(_ count: Int) -> [String] {
    (0..<count).map { number in
      switch number % 3 {
      case 0: "owner == 'user \(number)'"
      case 1: "size BETWEEN {\(1000 + number * 10), \(1009 + number * 10)}"
      default: "size > \(1_000_000 + number)"
      }
    }
  }

  /// The saves of a measurement and of all that follow it.
  final class Saves {
    static let records = 1000
    private var number = 0

    /// Saves one of ``records`` records, each in turn, with another size than it had.
    func next() -> [UInt8] {
      defer { number += 1 }
      return Array(
        Workload.call(
          number, "saveRecord",
          """
          {"record":{"recordType":"Job","recordName":"job-\(number % Self.records)","fields":{\
          "owner":"ann","size":\(number / Self.records % 1000),\
          "text":"\(String(repeating: "text ", count: 20))"}},"savePolicy":"allKeys"}
          """
        ).utf8)
    }
  }

  let socketPath: String
  let saves: Saves
  let layout: Layout
  /// Predicates of the subscribers that hear of each save.
  let matching: [String]
  /// Of those that hear of none.
  let others: [String]

  /// Saves every record once.
  func fill() throws {
    var writer = try LoadConnection(socketPath)
    defer { close(writer.descriptor) }
    for _ in 0..<Saves.records { writer.enqueue(saves.next()) }
    try writer.flush()
    var owed = Saves.records
    while owed > 0 { owed -= try writer.receive().count }
  }

  /// Measures with one save at a time, then with `depth` under way; each for `seconds`.
  func run(depth: Int, seconds: Double) throws -> Figures {
    var silent = try subscribe(others)
    defer { for connection in silent { close(connection.descriptor) } }
    var run = try Run(
      saves, writer: LoadConnection(socketPath), listeners: subscribe(matching), count: matching.count)
    defer { run.close() }
    try run.save(depth: 1, seconds: seconds / 4)
    let alone = try run.save(depth: 1, seconds: seconds)
    let many = try run.save(depth: depth, seconds: seconds)
    // How far they know all they are told now and then.
    for index in silent.indices where silent[index].hasInput {
      guard try silent[index].receiveChanges() == 0 else {
        throw LoadGenerator.Failure(description: "a filter that no save concerns was told of one")
      }
    }
    return Figures(perSecond: many.perSecond, latencies: alone.latencies)
  }

  /// A connection for each share of the predicates.
  private func subscribe(_ predicates: [String]) throws -> [LoadConnection] {
    let count = layout.connections(for: predicates.count)
    return try (0..<count).map { index in
      var connection = try LoadConnection(socketPath)
      var owed = 0
      for number in stride(from: index, to: predicates.count, by: count) {
        let params = "{\"recordType\":\"Job\",\"predicate\":\"\(predicates[number])\"}"
        connection.enqueue(Array(Workload.call(number, "subscribe", params).utf8))
        owed += 1
      }
      try connection.flush()
      while owed > 0 { owed -= try connection.receive().count }
      return connection
    }
  }
}

/// A writer and those that hear of what it writes, on one thread.
private struct Run {
  private let saves: FanOut.Saves
  var writer: LoadConnection
  var listeners: [LoadConnection]
  /// Subscriptions that hear of each save.
  let count: Int
  private var sent = 0
  private var answered = 0
  private var pushed = 0

  init(_ saves: FanOut.Saves, writer: LoadConnection, listeners: [LoadConnection], count: Int) {
    self.saves = saves
    self.writer = writer
    self.listeners = listeners
    self.count = count
  }

  func close() {
    for connection in listeners + [writer] { Glibc.close(connection.descriptor) }
  }

  /// Saves that are answered and of which all have heard.
  private var done: Int { min(answered, pushed / count) }

  /// Keeps `depth` saves under way for `seconds`, then waits until all is heard of them.
  @discardableResult
  mutating func save(depth: Int, seconds: Double) throws -> FanOut.Figures {
    let start = monotonicNanoseconds()
    let end = start + UInt64(seconds * 1e9)
    let first = done
    var latencies = Latencies()
    var polls = ([writer] + listeners).map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    var now = start
    while now < end || done < sent {
      if now < end {
        let free = depth - (sent - done)
        for _ in 0..<free {
          writer.enqueue(saves.next())
          sent += 1
        }
        try writer.flush()
      }
      let begun = now
      let before = done
      while done == before {
        guard poll(&polls, nfds_t(polls.count), 2000) > 0 else {
          throw LoadGenerator.Failure(
            description: "of \(sent) saves \(answered) were answered and \(pushed) changes pushed")
        }
        if polls[0].revents != 0 { answered += try writer.receive().count }
        for index in listeners.indices where polls[index + 1].revents != 0 {
          pushed += try listeners[index].receiveChanges()
        }
      }
      now = monotonicNanoseconds()
      if depth == 1 { latencies.add(now - begun) }
    }
    let elapsed = Double(now - start) / 1e9
    return FanOut.Figures(perSecond: Double(done - first) / elapsed, latencies: latencies)
  }
}
