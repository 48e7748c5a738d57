/// The way to a value of a record: a field or a system key, then members of JSON objects.
public struct FieldPath: Sendable {
  /// Names, never empty. The first is a system key or a field.
  public let components: [String]
  /// Whether it ends with `.@count`: the number of elements of the list there.
  public let countsElements: Bool
  /// The system key that the path starts with; nil for a field.
  public let systemKey: SystemKey?

  /// Nil when there are no components, or an empty one.
  public init?(_ components: [String], countsElements: Bool = false) {
    guard let first = components.first, !components.contains("") else { return nil }
    self.components = components
    self.countsElements = countsElements
    systemKey = SystemKey(named: first)
  }

  /// The path of text such as `address.city` or `tags.@count`, cut at its points.
  public init?(_ text: String) {
    var components = text.split(separator: "." as Character, omittingEmptySubsequences: false).map(
      String.init)
    let countsElements = components.last == "@count"
    if countsElements { components.removeLast() }
    self.init(components, countsElements: countsElements)
  }

  /// The same of a key that somebody asks for; nil as above. Throws `invalidArguments` for an operator behind
  /// it that there is none of, such as `tags.@max`, which would silently find nothing.
  public init?(key text: String) throws(RecordError) {
    guard let path = FieldPath(text) else { return nil }
    if let last = path.components.dropFirst().last, last.hasPrefix("@") {
      throw RecordError(
        .invalidArguments,
        "'\(last)' is not known at the end of the key '\(text)': only @count may stand there")
    }
    self = path
  }

  /// The field or system key that it starts with.
  public var root: String { components[0] }
}

/// The same names, byte for byte.
extension FieldPath: Hashable {
  public static func == (left: FieldPath, right: FieldPath) -> Bool {
    left.countsElements == right.countsElements
      && left.components.elementsEqual(right.components) { $0.hasSameUTF8(as: $1) }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(countsElements)
    for component in components { hasher.combine(component) }
  }
}

extension FieldPath: CustomStringConvertible {
  /// As a predicate spells it.
  public var description: String {
    var names = components.map(PredicateText.name)
    if countsElements { names.append("@count") }
    return names.joined(separator: ".")
  }
}
