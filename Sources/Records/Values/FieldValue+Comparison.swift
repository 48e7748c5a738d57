/// What comparisons of values mean, in predicates and wherever else values are compared.
extension FieldValue {
  /// How this value stands to the other; nil when there is no order between them. Booleans (false first),
  /// numbers, dates, texts and bytes are ordered, each among their own kind.
  public func order(to other: FieldValue, folding: TextFolding = []) -> Order? {
    switch (self, other) {
    case (.boolean(let left), .boolean(let right)): .init(left ? 1 : 0, right ? 1 : 0)
    case (.int64(let left), .int64(let right)): .init(left, right)
    case (.double(let left), .double(let right)): .init(left, right)
    case (.int64(let left), .double(let right)): .init(integer: left, double: right)
    case (.double(let left), .int64(let right)): Order(integer: right, double: left).reversed
    case (.date(let left), .date(let right)): .init(left, right)
    case (.string(let left), .string(let right)): .init(left, right, folding: folding)
    case (.bytes(let left), .bytes(let right)): .init(bytes: left.span, right.span)
    default: nil
    }
  }

  /// Whether both are the same value to a person: numbers as numbers, canonically equivalent texts as one,
  /// lists by their elements in order, objects by their members in any order. Values of types that don't
  /// compare are unequal.
  ///
  /// A reference without a zone is one into the zone `zoneName`. `folding` applies to texts, those in lists
  /// included, not to what is inside objects.
  public func equals(_ other: FieldValue, folding: TextFolding = [], inZone zoneName: String = "") -> Bool {
    switch (self, other) {
    case (.location(let left), .location(let right)): left.isSamePlace(as: right)
    case (.reference(let left), .reference(let right)): left.isSameRecord(as: right, inZone: zoneName)
    case (.asset(let left), .asset(let right)): left == right
    case (.list(let left), .list(let right)):
      left.elementsEqual(right) { $0.equals($1, folding: folding, inZone: zoneName) }
    case (.object, .object): SortKey.key(of: self) == SortKey.key(of: other)
    default: order(to: other, folding: folding) == .same
    }
  }
}

/// How one value stands to another.
public enum Order: Sendable {
  case before, same, after

  public var reversed: Order {
    switch self {
    case .before: .after
    case .same: .same
    case .after: .before
    }
  }

  init<Value: Comparable>(_ left: Value, _ right: Value) {
    self = left < right ? .before : left == right ? .same : .after
  }

  /// Exact, where a conversion of the integer would round it.
  init(integer: Int64, double: Double) {
    if double >= 0x1p63 {
      self = .before
    } else if double < -0x1p63 {
      self = .after
    } else {
      let whole = Int64(double)  // towards zero
      let fraction = double - Double(whole)
      self = integer != whole ? Order(integer, whole) : Order(0, fraction)
    }
  }

  /// By code point of normalization form C.
  init(_ left: String, _ right: String, folding: TextFolding) {
    // Not by the standard library's `<`, which misplaces decomposed Hangul.
    if folding.isEmpty, left.utf8.span.isKnownComposed, right.utf8.span.isKnownComposed {
      self.init(bytes: left.utf8.span, right.utf8.span)
    } else {
      self.init(bytes: folding.folded(left).span, folding.folded(right).span)
    }
  }

  init(bytes left: Span<UInt8>, _ right: Span<UInt8>) {
    let count = min(left.count, right.count)
    for index in 0..<count where left[index] != right[index] {
      self = left[index] < right[index] ? .before : .after
      return
    }
    self.init(left.count, right.count)
  }
}
