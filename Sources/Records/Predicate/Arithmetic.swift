import Glibc

extension Predicate.ArithmeticOperation {
  /// What the operation gives; nil for null.
  ///
  /// Numbers with numbers, a date plus or minus seconds, a date minus a date in seconds; everything else,
  /// booleans included, is null. Integers give an integer as long as it fits 64 bits, otherwise, and when one
  /// side is a double, a double. `/` of integers leaves the fraction away, as it does in NSExpression. Null is
  /// also what is no number: a division by zero, a power that is infinite or not real, a date outside the
  /// years 1 to 9999.
  func result(_ left: FieldValue?, _ right: FieldValue?) -> FieldValue? {
    switch (left, right) {
    case (.int64(let left), .int64(let right)): integers(left, right)
    case (.int64(let left), .double(let right)): doubles(Double(left), right)
    case (.double(let left), .int64(let right)): doubles(left, Double(right))
    case (.double(let left), .double(let right)): doubles(left, right)
    case (.date(let date), .int64), (.date(let date), .double):
      switch self {
      case .add: Self.moment(date, plus: right, negated: false)
      case .subtract: Self.moment(date, plus: right, negated: true)
      default: nil
      }
    case (.int64, .date(let date)), (.double, .date(let date)):
      self == .add ? Self.moment(date, plus: left, negated: false) : nil
    case (.date(let left), .date(let right)):
      self == .subtract ? .double(Double(left - right) / 1000) : nil
    default: nil
    }
  }

  // MARK: Numbers

  private func integers(_ left: Int64, _ right: Int64) -> FieldValue? {
    let exact: (Int64, overflow: Bool)
    switch self {
    case .add: exact = left.addingReportingOverflow(right)
    case .subtract: exact = left.subtractingReportingOverflow(right)
    case .multiply: exact = left.multipliedReportingOverflow(by: right)
    case .divide:
      guard right != 0 else { return nil }
      exact = left.dividedReportingOverflow(by: right)
    case .remainder:
      guard right != 0 else { return nil }
      // The one that overflows is 0.
      return .int64(right == -1 ? 0 : left % right)
    case .power:
      guard right >= 0 else { return doubles(Double(left), Double(right)) }
      exact = Self.power(left, right)
    }
    return exact.overflow ? doubles(Double(left), Double(right)) : .int64(exact.0)
  }

  private func doubles(_ left: Double, _ right: Double) -> FieldValue? {
    let result =
      switch self {
      case .add: left + right
      case .subtract: left - right
      case .multiply: left * right
      case .divide: right == 0 ? .nan : left / right
      case .remainder: right == 0 ? .nan : fmod(left, right)
      case .power: pow(left, right)
      }
    return result.isFinite ? .double(result) : nil
  }

  /// `exponent` must not be negative.
  private static func power(_ base: Int64, _ exponent: Int64) -> (Int64, overflow: Bool) {
    switch base {
    case 0: return (exponent == 0 ? 1 : 0, false)
    case 1: return (1, false)
    case -1: return (exponent % 2 == 0 ? 1 : -1, false)
    default: break
    }
    // The powers of all others leave 64 bits before this.
    guard exponent < 64 else { return (0, true) }
    var result: Int64 = 1
    for _ in 0..<exponent {
      let (next, overflow) = result.multipliedReportingOverflow(by: base)
      if overflow { return (0, true) }
      result = next
    }
    return (result, false)
  }

  // MARK: Dates

  /// The date that many seconds later, or earlier; to the nearest millisecond.
  private static func moment(_ date: Int64, plus seconds: FieldValue?, negated: Bool) -> FieldValue? {
    let milliseconds: Int64?
    switch seconds {
    case .int64(let seconds):
      let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
      milliseconds = overflow ? nil : product
    case .double(let seconds): milliseconds = Int64(exactly: (seconds * 1000).rounded())
    default: milliseconds = nil
    }
    guard let milliseconds else { return nil }
    let (moment, overflow) =
      negated ? date.subtractingReportingOverflow(milliseconds) : date.addingReportingOverflow(milliseconds)
    return !overflow && DateText.range.contains(moment) ? .date(moment) : nil
  }
}
