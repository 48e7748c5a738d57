public import JSONRPC

extension Predicate {
  /// The condition that a list of CloudKit's filters says, all of which must hold: `filterBy` of CloudKit Web
  /// Services and CloudKit JS. It is the tree that the predicate in text would give. Without filters it is
  /// every record.
  ///
  /// A filter is `{"comparator", "fieldName" or "systemFieldName", "fieldValue": {"value", "type"?}, "distance"?}`
  /// (`Protocol/README.md`, "CloudKit's filters"). Throws `invalidArguments` that names the filter and the
  /// member that is wrong.
  public init(filterBy filters: [JSON]) throws(RecordError) {
    var reader = CloudKitFilterReader()
    var parts: [Node] = []
    for (index, filter) in filters.enumerated() {
      let node = try reader.read(filter, at: CloudKitPlace("filterBy", index))
      if case .and(let inner) = node { parts += inner } else { parts.append(node) }
    }
    self.init(root: parts.isEmpty ? .constant(true) : parts.count == 1 ? parts[0] : .and(parts))
  }
}

/// Reads filters one after another.
struct CloudKitFilterReader {
  /// Searches for words so far, of which a predicate may have only so many.
  private var searches = 0

  /// What one filter says.
  mutating func read(_ json: JSON, at place: CloudKitPlace) throws(RecordError) -> Predicate.Node {
    let members = try place.members(
      of: json, known: ["comparator", "fieldName", "systemFieldName", "fieldValue", "distance"])
    guard let comparator = members[0]?.stringValue.flatMap(CloudKitComparator.init(rawValue:)) else {
      let known = CloudKitComparator.allCases.map(\.rawValue).joined(separator: ", ")
      throw place.member("comparator").error(mustBe: "one of \(known)")
    }
    var path = try CloudKitField.path(fieldName: members[1], systemFieldName: members[2], at: place)
    if comparator.shape == .words, members[1]?.stringValue == CloudKitField.allText { path = nil }
    guard path != nil || comparator.shape == .words else {
      throw place.error("\(place.name) must have a fieldName or a systemFieldName")
    }
    guard let fieldValue = members[3] else { throw place.error("\(place.name) must have a fieldValue") }
    let valuePlace = place.member("fieldValue")
    let systemKey = path?.components.count == 1 ? path?.systemKey : nil
    let value = try CloudKitValue(systemKey: systemKey).read(fieldValue, at: valuePlace)
    try Self.check(value, comparator, at: valuePlace.member("value"))
    if members[4] != nil, comparator != .near {
      throw place.member("distance").error("\(place.member("distance").name) is only for NEAR")
    }
    guard let path else { return try words(nil, value, comparator, at: valuePlace) }
    switch comparator {
    case .near: return .comparison(try near(path, value, distance: members[4], at: place))
    case .containsAllTokens, .containsAnyTokens: return try words(path, value, comparator, at: valuePlace)
    case .listContainsAll: return Self.containsAll(path, value)
    case .notListContainsAll: return .not(Self.containsAll(path, value))
    default: return Self.node(path, value, comparator)
    }
  }

  private static func check(
    _ value: Predicate.Expression, _ comparator: CloudKitComparator, at place: CloudKitPlace
  ) throws(RecordError) {
    switch (comparator.shape, value) {
    case (.any, _), (.single, .value), (.list, .list), (.text, .value(.string)), (.words, .value(.string)),
      (.words, .list), (.location, .value(.location)):
      return
    case (.single, _): throw place.error(mustBe: "a single value for \(comparator.rawValue)")
    case (.list, _): throw place.error(mustBe: "a list for \(comparator.rawValue)")
    case (.text, _): throw place.error(mustBe: "a text for \(comparator.rawValue)")
    case (.words, _): throw place.error(mustBe: "a text, or a list of texts, for \(comparator.rawValue)")
    case (.location, _): throw place.error(mustBe: "a location for \(comparator.rawValue)")
    }
  }

  private static func node(
    _ path: FieldPath, _ value: Predicate.Expression, _ comparator: CloudKitComparator
  ) -> Predicate.Node {
    guard let (operation, quantifier, isNegated) = comparator.comparison else { return .constant(false) }
    let node = Predicate.Node.comparison(.init(.path(path), operation, value, quantifier: quantifier))
    return isNegated ? .not(node) : node
  }

  /// Each member of the value is an element of the field's list.
  private static func containsAll(_ path: FieldPath, _ value: Predicate.Expression) -> Predicate.Node {
    guard case .list(let members) = value else { return .constant(false) }
    let parts = members.map { node(path, $0, .listContains) }
    return parts.isEmpty ? .constant(true) : parts.count == 1 ? parts[0] : .and(parts)
  }

  private func near(
    _ path: FieldPath, _ value: Predicate.Expression, distance: JSON?, at place: CloudKitPlace
  ) throws(RecordError) -> Predicate.Comparison {
    guard let number = distance?.doubleValue, number >= 0, let distance,
      let metres = try? FieldValue(json: distance)
    else { throw place.member("distance").error(mustBe: "a number of metres, not below 0") }
    return .init(.distance(.path(path), value), .lessOrEqual, .value(metres))
  }

  // MARK: Words

  private mutating func words(
    _ path: FieldPath?, _ value: Predicate.Expression, _ comparator: CloudKitComparator,
    at place: CloudKitPlace
  ) throws(RecordError) -> Predicate.Node {
    let text = try Self.text(of: value, at: place.member("value"))
    let terms = text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { String($0) }
    guard !terms.isEmpty else { throw place.member("value").error(mustBe: "a text with words") }
    guard WordQuery(text, mode: .allTerms) != nil else {
      throw place.member("value").error(mustBe: "a text of at most \(WordQuery.maximumWords) words")
    }
    guard let path, comparator == .containsAnyTokens, terms.count > 1 else {
      let operation: Predicate.Operation =
        path == nil && comparator == .containsAnyTokens ? .containsWords : .matchesWords
      return try search(path.map { .path($0) } ?? .allText, operation, text, at: place)
    }
    // Any word in one field has no operation of its own.
    var nodes: [Predicate.Node] = []
    for term in terms { nodes.append(try search(.path(path), .matchesWords, term, at: place)) }
    return .or(nodes)
  }

  private mutating func search(
    _ left: Predicate.Expression, _ operation: Predicate.Operation, _ text: String, at place: CloudKitPlace
  ) throws(RecordError) -> Predicate.Node {
    searches += 1
    guard searches <= Predicate.maximumSearches else {
      throw place.error("\(place.name): there are more than \(Predicate.maximumSearches) searches for words")
    }
    return .comparison(.init(left, operation, .value(.string(text))))
  }

  private static func text(of value: Predicate.Expression, at place: CloudKitPlace) throws(RecordError)
    -> String
  {
    switch value {
    case .value(.string(let text)?): return text
    case .list(let elements):
      var texts: [String] = []
      for element in elements {
        guard case .value(.string(let text)?) = element else {
          throw place.element(texts.count).error(mustBe: "a text")
        }
        texts.append(text)
      }
      return texts.joined(separator: " ")
    default: throw place.error(mustBe: "a text")
    }
  }
}
