internal import JSONRPC
internal import Records

/// A figure in the making.
struct AggregateState {
  private let function: Aggregate.Function
  /// Records, values or numbers: what the function counts.
  private var count = 0
  private var integers: Int128 = 0
  private var doubles: CompensatedSum?
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
    case .double(let double): doubles = (doubles ?? CompensatedSum()).adding(double)
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
    if let doubles { return FieldValue(finite: doubles.adding(Double(integers)).value) }
    return Int64(exactly: integers).map { .int64($0) } ?? .double(Double(integers))
  }

  private var average: FieldValue? {
    guard count > 0 else { return nil }
    if let doubles {
      return FieldValue(finite: doubles.adding(Double(integers)).value / Double(count))
    }
    // The whole part apart, so that large integers lose no digits in the division.
    let (whole, rest) = integers.quotientAndRemainder(dividingBy: Int128(count))
    return .double(Double(whole) + Double(rest) / Double(count))
  }
}

extension AggregateState: Sized {
  var size: Int {
    switch extreme {
    case .string(let text): 128 + text.utf8.count
    case .bytes(let bytes): 128 + bytes.count
    default: 128
    }
  }
}

/// A sum of doubles that keeps what each addition rounds away (Neumaier).
struct CompensatedSum {
  private var sum = 0.0
  private var compensation = 0.0

  func adding(_ value: Double) -> CompensatedSum {
    var result = self
    let total = sum + value
    result.compensation +=
      abs(sum) >= abs(value) ? (sum - total) + value : (value - total) + sum
    result.sum = total
    return result
  }

  /// Not finite once the sum was beyond the doubles.
  var value: Double { sum.isFinite ? sum + compensation : sum }
}

extension FieldValue {
  /// Nil for what is no number.
  fileprivate init?(finite value: Double) {
    guard value.isFinite else { return nil }
    self = .double(value)
  }
}

extension Order {
  fileprivate init(bytes left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) {
    self =
      left.lexicographicallyPrecedes(right) ? .before : right.lexicographicallyPrecedes(left) ? .after : .same
  }
}
