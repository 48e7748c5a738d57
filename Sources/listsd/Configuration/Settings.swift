import ListsService
import RecordStore
import SocketServer

/// What the configuration file sets, with its defaults.
struct Settings: Sendable, Equatable {
  /// Seconds without a connection after which a service that systemd started ends; 0: never.
  var idleTimeout = 60
  /// Seconds that accepted requests may take to be answered once the service is told to end.
  var stopTimeout = 10
  var logLevel = Journal.Priority.info
  /// Whether record types may get indexes by themselves.
  var automaticIndexes = true
  /// How much of a store's changes is kept: days (0: no limit), changes, and bytes of what they replaced.
  var historyDays = 30
  var historyChanges = 1_000_000
  var historyBytes = 256 << 20
  var limits = ServiceLimits()

  /// What the stores are held to.
  var storeLimits: StoreLimits {
    var limits = StoreLimits()
    limits.maximumHistoryAge = Int64(historyDays) * 86_400_000
    limits.maximumHistoryChanges = historyChanges
    limits.maximumHistoryBytes = Int64(historyBytes)
    return limits
  }

  /// What the connections are held to.
  var connectionLimits: ConnectionLimits {
    var connections = ConnectionLimits()
    connections.maximumMessageBytes = limits.maximumMessageBytes
    connections.connectionsPerUser = limits.maximumConnections
    return connections
  }
}

/// One line of the configuration file, as a table: reading the file, its manual page and its default text
/// are all made from this.
struct Setting: Sendable {
  let name: String
  /// A sentence without a full stop.
  let meaning: String
  /// What a value looks like, such as `a number of bytes of 1024 or more`.
  let form: String
  /// The value as the file would say it.
  let text: @Sendable (Settings) -> String
  /// False when the text is not of this form.
  let set: @Sendable (inout Settings, String) -> Bool

  private init(
    _ name: String, _ meaning: String, form: String, text: @escaping @Sendable (Settings) -> String,
    set: @escaping @Sendable (inout Settings, String) -> Bool
  ) {
    self.name = name
    self.meaning = meaning
    self.form = form
    self.text = text
    self.set = set
  }

  private static func number(
    _ name: String, _ field: any WritableKeyPath<Settings, Int> & Sendable, of unit: String?,
    in range: ClosedRange<Int>, _ meaning: String
  ) -> Setting {
    Setting(
      name, meaning,
      form: "a whole number\(unit.map { " of \($0)" } ?? "") from \(range.lowerBound) to \(range.upperBound)",
      text: { Quantity.text(of: $0[keyPath: field], isBytes: unit == "bytes") },
      set: { settings, text in
        guard let value = Quantity.value(of: text, isBytes: unit == "bytes"), range.contains(value) else {
          return false
        }
        settings[keyPath: field] = value
        return true
      })
  }

  private static func count(
    _ name: String, _ field: any WritableKeyPath<Settings, Int> & Sendable, _ meaning: String
  ) -> Setting {
    number(name, field, of: nil, in: 1...1_000_000_000, meaning)
  }

  private static func bytes(
    _ name: String, _ field: any WritableKeyPath<Settings, Int> & Sendable, _ meaning: String
  ) -> Setting {
    number(name, field, of: "bytes", in: 1024...1 << 30, meaning)
  }

  private static func choice(
    _ name: String, _ field: any WritableKeyPath<Settings, Bool> & Sendable, _ meaning: String
  ) -> Setting {
    Setting(
      name, meaning, form: "yes or no", text: { $0[keyPath: field] ? "yes" : "no" },
      set: { settings, text in
        guard text == "yes" || text == "no" else { return false }
        settings[keyPath: field] = text == "yes"
        return true
      })
  }

  /// Every setting, in the order of the file and its manual page.
  static let all: [Setting] = [
    number(
      "idleTimeout", \.idleTimeout, of: "seconds", in: 0...1_000_000_000,
      "How long the service waits without a connection before it ends, until systemd starts it for the next; "
        + "0 for never. Only where systemd started it"),
    number(
      "stopTimeout", \.stopTimeout, of: "seconds", in: 0...3600,
      "How long accepted requests may take to be answered when the service is told to end"),
    Setting(
      "logLevel", "The least important entries that are logged",
      form: "one of " + Journal.Priority.allCases.map(\.name).joined(separator: ", "),
      text: { $0.logLevel.name },
      set: { settings, text in
        guard let level = Journal.Priority(name: text) else { return false }
        settings.logLevel = level
        return true
      }),
    choice(
      "automaticIndexes", \.automaticIndexes,
      "Whether a record type gets an index by itself where queries are slow without one; takes effect at the "
        + "next start"),
    number(
      "historyDays", \.historyDays, of: "days", in: 0...36_500,
      "How long changes are kept for clients that were away, which must fetch everything anew after that; 0 for "
        + "as long as the next two allow; takes effect at the next start"),
    number(
      "historyChanges", \.historyChanges, of: nil, in: 1000...1_000_000_000,
      "How many changes of a database are kept; takes effect at the next start"),
    number(
      "historyBytes", \.historyBytes, of: "bytes", in: 1 << 20...1 << 40,
      "How much of what they replaced is kept; takes effect at the next start"),
    bytes("maximumMessageBytes", \.limits.maximumMessageBytes, "One message from a client"),
    number(
      "maximumDepth", \.limits.maximumDepth, of: nil, in: 16...512, "Levels of brackets in a message"),
    count("maximumBatchCalls", \.limits.maximumBatchCalls, "Calls in a batch"),
    count("maximumItems", \.limits.maximumItems, "Records or operations in a request"),
    count("defaultResults", \.limits.defaultResults, "Records of a page when the request does not say"),
    count("maximumResults", \.limits.maximumResults, "Records of a page at most"),
    bytes("maximumReplyBytes", \.limits.maximumReplyBytes, "One reply"),
    bytes(
      "maximumRecordBytes", \.limits.maximumRecordBytes, "A record's JSON; takes effect at the next start"),
    count("maximumFields", \.limits.maximumFields, "Fields of a record; takes effect at the next start"),
    count(
      "maximumIndexes", \.limits.maximumIndexes,
      "Declared indexes of a record type; takes effect at the next start"),
    count(
      "maximumQuerySeconds", \.limits.maximumQuerySeconds,
      "Seconds after which a query is given up; takes effect at the next start"),
    bytes("maximumPredicateBytes", \.limits.maximumPredicateBytes, "A predicate's text"),
    count("maximumFilterComparisons", \.limits.maximumFilterComparisons, "Comparisons of a live filter"),
    count("maximumSortDescriptors", \.limits.maximumSortDescriptors, "Sort descriptors of a query"),
    count("maximumKeys", \.limits.maximumKeys, "Keys of include or groupBy, or figures of aggregateRecords"),
    count("maximumGroups", \.limits.maximumGroups, "Groups of aggregateRecords"),
    count("maximumSections", \.limits.maximumSections, "Sections of a result that is sorted by them"),
    count("maximumSubscriptions", \.limits.maximumSubscriptions, "Subscriptions of a connection"),
    count(
      "maximumWindowRecords", \.limits.maximumWindowRecords,
      "Rows of a sorted result that a subscription holds"),
    count(
      "maximumSavedSubscriptions", \.limits.maximumSavedSubscriptions,
      "Saved subscriptions of a user in a database; takes effect at the next start"),
    number(
      "idempotencyHours", \.limits.idempotencyHours, of: "hours", in: 1...8760,
      "How long the answer to a request with an idempotency key is kept, to be given again; takes effect at the "
        + "next start"),
    count(
      "maximumIdempotencyKeys", \.limits.maximumIdempotencyKeys,
      "How many of those answers a database keeps; takes effect at the next start"),
    number(
      "maximumAssetBytes", \.limits.maximumAssetBytes, of: "bytes", in: 1024...1 << 40, "The file of an asset"
    ),
    count(
      "maximumUploads", \.limits.maximumUploads,
      "Assets that a user uploads in parts at the same time; takes effect at the next start"),
    count("maximumZones", \.limits.maximumZones, "Zones of a database; takes effect at the next start"),
    count("maximumConnections", \.limits.maximumConnections, "Connections of a user"),
    count("maximumContainers", \.limits.maximumContainers, "Containers; takes effect at the next start"),
    count(
      "maximumRequestsInFlight", \.limits.maximumRequestsInFlight,
      "Unanswered requests of a connection, beyond which it is not read from"),
    bytes(
      "maximumQueuedBytes", \.limits.maximumQueuedBytes,
      "What is kept for a connection that does not read, beyond which its subscriptions fall behind"),
  ]
}

/// Numbers as the configuration file has them: `60`, and for bytes also `64K`, `16M`, `1G`.
enum Quantity {
  private static let units: [(letter: Character, shift: Int)] = [("G", 30), ("M", 20), ("K", 10)]

  static func text(of value: Int, isBytes: Bool) -> String {
    for (letter, shift) in units where isBytes && value > 0 && value % (1 << shift) == 0 {
      return "\(value >> shift)\(letter)"
    }
    return "\(value)"
  }

  static func value(of text: String, isBytes: Bool) -> Int? {
    guard isBytes, let unit = units.first(where: { $0.letter == text.last }) else {
      return digits(text[...])
    }
    guard let count = digits(text.dropLast()) else { return nil }
    let (value, overflows) = count.multipliedReportingOverflow(by: 1 << unit.shift)
    return overflows ? nil : value
  }

  private static func digits(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
  }
}
