import JSONRPC

/// The values that come with a predicate's text.
struct PredicateArguments {
  private let arguments: [JSON]
  private let variables: JSON?
  private var used = 0
  /// Of JSON, of all values that were taken, each as often as it was.
  private var bytes = 0

  /// Bytes of JSON that a predicate may make use of. A variable counts as often as it stands in the text:
  /// otherwise a long list could be multiplied by a short text.
  static let maximumBytes = 16 << 20

  init(_ arguments: [JSON], _ variables: JSON?) {
    self.arguments = arguments
    self.variables = variables
  }

  private mutating func nextJSON(at offset: Int) throws(PredicateSyntaxError) -> JSON {
    guard used < arguments.count else {
      throw .init(
        at: offset, expected: "an argument for this place",
        problem: arguments.isEmpty
          ? "no arguments were given"
          : arguments.count == 1 ? "only 1 was given" : "only \(arguments.count) were given")
    }
    used += 1
    try count(arguments[used - 1], at: offset)
    return arguments[used - 1]
  }

  private mutating func count(_ json: JSON, at offset: Int) throws(PredicateSyntaxError) {
    bytes += json.bytes.count
    if bytes > Self.maximumBytes {
      throw .init(
        at: offset, expected: "shorter values", problem: "the values are more than \(Self.maximumBytes) bytes"
      )
    }
  }

  /// The next argument as a value of the kind that its place stands for.
  mutating func next(
    _ conversion: PredicateToken.Conversion, at offset: Int
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    let json = try nextJSON(at: offset)
    let expression = try Self.expression(json, at: offset)
    switch (conversion, expression) {
    case (.value, _), (.integer, .value(.int64)), (.number, .value(.int64)), (.number, .value(.double)):
      return expression
    default:
      let expected = conversion == .integer ? "an integer" : "a number"
      throw .init(at: offset, expected: expected, problem: "argument \(used) is of another type")
    }
  }

  /// The names of the key path that the next argument spells: a text that is cut at its points, or a list of
  /// names that are taken as they are. The last may be `@count`.
  mutating func nextKeyPath(at offset: Int) throws(PredicateSyntaxError) -> [String] {
    let json = try nextJSON(at: offset)
    let names: [String]? =
      if let text = json.stringValue {
        text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
      } else if json.kind == .array, json.elements.allSatisfy({ $0.kind == .string }) {
        json.elements.compactMap(\.stringValue)
      } else {
        nil
      }
    guard let names, !names.isEmpty, !names.contains(""), names.first != "@count" else {
      throw .init(at: offset, expected: "a key path as text", problem: "argument \(used) is none")
    }
    return names
  }

  mutating func variable(
    _ name: String, at offset: Int
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    guard let json = variables?[name] else {
      throw .init(
        at: offset, expected: "a variable that is given",
        problem: "there is no variable \(name)\(Self.given(variables))")
    }
    try count(json, at: offset)
    return try Self.expression(json, at: offset)
  }

  func checkAllUsed(at offset: Int) throws(PredicateSyntaxError) {
    if used < arguments.count {
      throw .init(
        at: offset, expected: "a place for every argument",
        problem: (arguments.count == 1 ? "1 argument is" : "\(arguments.count) arguments are")
          + " given and \(used == 0 ? "none" : "\(used)") used")
    }
  }

  /// The first of the names that there are, for a message.
  private static func given(_ variables: JSON?) -> String {
    let names = variables?.members.lazy.map(\.name).prefix(10) ?? []
    return names.isEmpty ? " (none are given)" : " (given: \(names.joined(separator: ", ")))"
  }

  private static func expression(
    _ json: JSON, at offset: Int
  ) throws(PredicateSyntaxError) -> Predicate.Expression {
    guard json.kind == .array else { return .value(try value(json, at: offset)) }
    var elements: [Predicate.Expression] = []
    for element in json.elements { elements.append(.value(try value(element, at: offset))) }
    return .list(elements)
  }

  private static func value(_ json: JSON, at offset: Int) throws(PredicateSyntaxError) -> FieldValue? {
    do throws(RecordError) {
      guard json.kind != .array else { throw RecordError(.invalidArguments, "a list can't be in a list") }
      return try FieldValue(json: json)
    } catch {
      throw PredicateSyntaxError(at: offset, expected: "a value", problem: error.message)
    }
  }
}
