import JSONRPC

extension Predicate.CastType {
  /// The value as this type; nil where it can't be that.
  ///
  /// A number as a date, and a date as a number, counts seconds since 2001-01-01T00:00:00Z, as NSDate does.
  func cast(_ value: FieldValue?) -> FieldValue? {
    switch self {
    case .date: Self.date(value)
    case .number: Self.number(value)
    case .text: Self.text(value)
    }
  }

  /// 2001-01-01T00:00:00Z, in milliseconds since 1970.
  private static let referenceDate: Int64 = 978_307_200_000

  private static func date(_ value: FieldValue?) -> FieldValue? {
    switch value {
    case .date: value
    case .string(let text): DateText.parse(text).map { .date($0) }
    case .int64, .double: Predicate.ArithmeticOperation.add.result(.date(referenceDate), value)
    default: nil
    }
  }

  private static func number(_ value: FieldValue?) -> FieldValue? {
    switch value {
    case .int64, .double: value
    case .boolean(let truth): .int64(truth ? 1 : 0)
    case .date: Predicate.ArithmeticOperation.subtract.result(value, .date(referenceDate))
    case .string(let text): number(text)
    default: nil
    }
  }

  /// A number as JSON spells it.
  private static func number(_ text: String) -> FieldValue? {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10,
      text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 || "-+.eE".utf8.contains($0) })
    else { return nil }
    if let integer = Int64(text) { return .int64(integer) }
    return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
  }

  private static func text(_ value: FieldValue?) -> FieldValue? {
    switch value {
    case .string: value
    case .int64, .double, .boolean: value.map { .string($0.json.text) }
    case .date(let date): .string(DateText.format(date))
    default: nil
    }
  }
}
