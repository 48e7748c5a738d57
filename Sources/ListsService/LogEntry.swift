/// What the service has to say to whoever runs it. Where it goes is for the owner to decide.
public struct LogEntry: Sendable, Equatable {
  /// Syslog's numbers.
  public enum Priority: Int, Sendable, Comparable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// `error` is the greatest.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue > right.rawValue }
  }

  /// A name in the journal's form (`LISTS_METHOD`) and its value.
  public struct Field: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public var priority: Priority
  /// One line.
  public var message: String
  public var fields: [Field]

  public init(_ priority: Priority, _ message: String, fields: [Field] = []) {
    self.priority = priority
    self.message = message
    self.fields = fields
  }
}
