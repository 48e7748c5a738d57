internal import JSONRPC
internal import Records

/// A figure in the making.
struct AggregateState {
  private let function: Aggregate.Function
  /// Records, values or numbers: what the function counts.
  private var count = 0
  private var integers: Int128 = 0
  private var doubles: ExactSum?
  private var extreme: FieldValue?

  init(_ function: Aggregate.Function) {
    self.function = function
  }

  /// For a count of records.
  mutating func addRecord() { count += 1 }

  /// A value under the aggregate's key; what doesn't suit the function is passed over as null is.
  mutating func add(_ value: FieldValue?) {
    guard let value else { return }
    switch function {
    case .count: count += 1
    case .sum, .avg: addNumber(value)
    case .min: take(value, if: .before)
    case .max: take(value, if: .after)
    }
  }

  private mutating func addNumber(_ value: FieldValue) {
    switch value {
    case .int64(let integer): integers += Int128(integer)
    case .double(let double):
      if doubles == nil { doubles = ExactSum() }
      doubles?.add(double)
    default: return
    }
    count += 1
  }

  /// Of equal values the one whose JSON is least, so that it doesn't matter in which order they come.
  private mutating func take(_ value: FieldValue, if wanted: Order) {
    guard value.order(to: value) != nil else { return }
    guard let extreme else { return self.extreme = value }
    switch value.order(to: extreme) ?? Order(bytes: SortKey.key(of: value), SortKey.key(of: extreme)) {
    case wanted: self.extreme = value
    case .same:
      if value != extreme, Order(bytes: value.json.bytes, extreme.json.bytes) == .before {
        self.extreme = value
      }
    default: break
    }
  }

  /// Null when there is nothing to tell.
  var result: FieldValue? {
    switch function {
    case .count: .int64(Int64(count))
    case .sum: sum
    case .avg: average
    case .min, .max: extreme
    }
  }

  private var sum: FieldValue? {
    if let doubles { return total(doubles).map { .double($0) } }
    return Int64(exactly: integers).map { .int64($0) } ?? .double(Double(integers))
  }

  private var average: FieldValue? {
    guard count > 0 else { return nil }
    if let doubles { return total(doubles).map { .double($0 / Double(count)) } }
    // The whole part apart, so that large integers lose no digits in the division.
    let (whole, rest) = integers.quotientAndRemainder(dividingBy: Int128(count))
    return .double(Double(whole) + Double(rest) / Double(count))
  }

  /// Rounded once; nil beyond the doubles.
  private func total(_ doubles: ExactSum) -> Double? {
    var total = doubles
    total.add(integers)
    return total.value
  }
}

extension AggregateState: Sized {
  var size: Int {
    let fixed = 128 + (doubles == nil ? 0 : ExactSum.size)
    return switch extreme {
    case .string(let text): fixed + text.utf8.count
    case .bytes(let bytes): fixed + bytes.count
    default: fixed
    }
  }
}

extension Order {
  fileprivate init(bytes left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) {
    self =
      left.lexicographicallyPrecedes(right) ? .before : right.lexicographicallyPrecedes(left) ? .after : .same
  }
}
