/// What a command line asks for.
public enum Invocation: Sendable {
  /// Run the command that `Arguments.path` names.
  case run(Arguments)
  /// Print this text on standard output and exit with 0.
  case help(String)
  /// Print the version on standard output and exit with 0.
  case version
}

/// The options and operands of a command line that its table allows.
public struct Arguments: Sendable {
  /// The names of the command and of those above it: `["listsrpc", "save"]`.
  public let path: [String]
  /// What was given without a dash, in order.
  public let operands: [String]
  /// Option names and their values in the order given; a flag's value is empty.
  let options: [(name: String, value: String)]

  /// The verb: the last name of `path`.
  public var command: String { path.last ?? "" }

  /// The option was given.
  public func has(_ name: String) -> Bool {
    options.contains { $0.name == name }
  }

  /// The option's value; the last one when it was given several times.
  public func value(_ name: String) -> String? {
    options.last { $0.name == name }?.value
  }

  /// Every value of an option, in the order given.
  public func values(_ name: String) -> [String] {
    options.filter { $0.name == name }.map(\.value)
  }

  /// Every option and value of one of these names, in the order given.
  public func values(of names: Set<String>) -> [(name: String, value: String)] {
    options.filter { names.contains($0.name) }
  }

  /// The option's value as a whole number within a range.
  public func integer(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max
  ) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let bounds =
        range.upperBound == Int.max
        ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
      throw UsageError("--\(name) takes a whole number \(bounds), not '\(text)'")
    }
    return number
  }

  /// The option's value as a number of zero or more.
  public func number(_ name: String) throws(UsageError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text), number >= 0, number.isFinite else {
      throw UsageError("--\(name) takes a number of 0 or more, not '\(text)'")
    }
    return number
  }
}
