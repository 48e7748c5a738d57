internal import Records

/// What a comparison with constants demands of the value at one path.
struct KeyDemand {
  /// The keys that the value may have.
  var keys: KeySet
  /// Whether every record whose value has one of the keys matches, too.
  var isExact: Bool

  static let never = KeyDemand(keys: .none, isExact: true)

  static func exactly(_ keys: KeySet) -> KeyDemand { KeyDemand(keys: keys, isExact: true) }
  static func within(_ keys: KeySet) -> KeyDemand { KeyDemand(keys: keys, isExact: false) }

  /// What the opposite demands; nil when that is nothing.
  var negated: KeyDemand? { isExact ? .exactly(keys.complement) : nil }
}

extension Predicate.Comparison {
  /// What `value operation right` demands of the value, quantifiers aside; nil when it is nothing that keys
  /// tell. `right` must be constant.
  func demand(_ operation: Predicate.Operation, _ right: Predicate.Expression) -> KeyDemand? {
    switch (operation, right) {
    case (.notEqual, _): demand(.equal, right)?.negated
    case (_, .value(let value)): demand(operation, value)
    case (.in, .list(let elements)): membership(elements)
    case (.between, .list(let bounds)) where bounds.count == 2: between(bounds[0], bounds[1])
    case (.equal, .list): .within(Self.kind(of: .list([])))
    case (.within, .box(let box)): .within(Self.latitudes(of: box))
    case (.within, .polygon(let polygon)): .within(Self.latitudes(of: polygon.boundingBox))
    default: nil
    }
  }

  private func demand(_ operation: Predicate.Operation, _ value: FieldValue?) -> KeyDemand? {
    switch operation {
    case .equal: equality(value)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: ordering(operation, value)
    case .beginsWith, .endsWith, .like, .matches: text(operation, value)
    case .in: value.isText ? KeyDemand.within(Self.anyText) : nil
    case .between, .notEqual, .contains, .containsWords, .matchesWords, .within: nil
    }
  }

  private func equality(_ value: FieldValue?) -> KeyDemand {
    guard let value else { return .exactly(.null) }
    switch value {
    case .string where !folding.isEmpty: return .within(Self.anyText)
    case .list where !folding.isEmpty: return .within(Self.kind(of: value))
    // A key leaves out a reference's zone and a list's nulls.
    case .reference, .list, .asset: return .within(KeySet(point: SortKey.key(of: value)))
    default: return .exactly(KeySet(point: SortKey.key(of: value)))
    }
  }

  private func ordering(_ operation: Predicate.Operation, _ value: FieldValue?) -> KeyDemand {
    guard let value else { return .never }
    switch value {
    case .string where !folding.isEmpty: return .within(Self.anyText)
    case .boolean, .int64, .double, .date, .string, .bytes: break
    // Without an order.
    case .location, .reference, .asset, .list, .object: return .never
    }
    let key = SortKey.key(of: value)
    let kind = KeyRange(prefix: [key[0]])
    let point = KeyRange(point: key)
    switch operation {
    case .less: return .exactly(KeySet(KeyRange(from: kind.from, below: point.from)))
    case .lessOrEqual: return .exactly(KeySet(KeyRange(from: kind.from, below: point.below)))
    case .greater: return .exactly(KeySet(KeyRange(from: point.below, below: kind.below)))
    default: return .exactly(KeySet(KeyRange(from: point.from, below: kind.below)))
    }
  }

  private func between(_ low: Predicate.Expression, _ high: Predicate.Expression) -> KeyDemand? {
    guard case .value(let low) = low, case .value(let high) = high else { return nil }
    let above = ordering(.greaterOrEqual, low)
    let below = ordering(.lessOrEqual, high)
    return KeyDemand(
      keys: above.keys.intersection(below.keys), isExact: above.isExact && below.isExact)
  }

  private func membership(_ elements: [Predicate.Expression]) -> KeyDemand? {
    var ranges: [KeyRange] = []
    var isExact = true
    for element in elements {
      guard case .value(let value) = element else { return nil }
      let demand = equality(value)
      ranges += demand.keys.ranges
      isExact = isExact && demand.isExact
    }
    return KeyDemand(keys: KeySet(unionOf: ranges), isExact: isExact)
  }

  private func text(_ operation: Predicate.Operation, _ value: FieldValue?) -> KeyDemand {
    guard case .string(let text)? = value else { return .never }
    guard folding.isEmpty else { return .within(Self.anyText) }
    switch operation {
    case .beginsWith: return .exactly(Self.texts(beginningWith: text))
    case .like: return .within(Self.texts(beginningWith: LiteralPrefix.ofLike(text)))
    case .matches: return .within(Self.texts(beginningWith: LiteralPrefix.ofRegularExpression(text)))
    default: return .within(Self.anyText)
    }
  }

  // MARK: Sets

  static var anyText: KeySet { kind(of: .string("")) }

  /// All values of the kind that the value is of.
  private static func kind(of value: FieldValue) -> KeySet {
    KeySet(KeyRange(prefix: [SortKey.key(of: value)[0]]))
  }

  private static func texts(beginningWith text: String) -> KeySet {
    KeySet(KeyRange(prefix: SortKey.prefix(ofTextsBeginningWith: text)))
  }

  private static func latitudes(of box: LocationBox) -> KeySet {
    latitudes(box.southwest.latitude, box.northeast.latitude)
  }

  /// Locations between two parallels.
  static func latitudes(_ south: Double, _ north: Double) -> KeySet {
    guard let from = parallel(max(south, -90)), let last = parallel(min(north, 90)) else { return .none }
    return KeySet(KeyRange(from: from, below: KeyRange(prefix: last).below))
  }

  /// What the keys of all locations of a latitude begin with.
  private static func parallel(_ latitude: Double) -> [UInt8]? {
    Location(latitude: latitude, longitude: 0).map { Array(SortKey.key(of: .location($0)).prefix(9)) }
  }

  /// Locations that may be this near to another, in metres.
  static func latitudes(within metres: Double, of location: Location) -> KeySet {
    guard metres >= 0 else { return .none }
    // A degree of latitude is 110,574 m at the equator and more elsewhere.
    let degrees = metres / 110_000 + 1e-6
    return latitudes(location.latitude - degrees, location.latitude + degrees)
  }
}

extension FieldValue? {
  var isText: Bool { if case .string? = self { true } else { false } }
}

/// What every text begins with that a pattern matches.
enum LiteralPrefix {
  /// Of a pattern with `*` and `?`.
  static func ofLike(_ pattern: String) -> String {
    var prefix = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        if !"*?\\".unicodeScalars.contains(scalar) { prefix.append("\\") }
        prefix.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "*" || scalar == "?" {
        break
      } else {
        prefix.append(scalar)
      }
    }
    return String(prefix)
  }

  /// Of a regular expression: only ASCII letters, digits and spaces, and less rather than more.
  static func ofRegularExpression(_ pattern: String) -> String {
    guard !pattern.unicodeScalars.contains("|") else { return "" }
    var prefix: [UInt8] = []
    let bytes = Array(pattern.utf8)
    for byte in bytes {
      guard byte == 0x20 || byte.isASCIILetterOrDigit else { break }
      prefix.append(byte)
    }
    // What comes next may repeat the last one, or be a mark on it.
    if prefix.count < bytes.count, bytes[prefix.count] != UInt8(ascii: "."), !prefix.isEmpty {
      prefix.removeLast()
    }
    return String(decoding: prefix, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    self &- 0x30 < 10 || self &- 0x41 < 26 || self &- 0x61 < 26
  }
}
