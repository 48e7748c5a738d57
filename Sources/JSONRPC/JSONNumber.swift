extension JSON {
  /// The integer, exactly; nil unless the value is a number written without point and exponent that fits.
  /// `-0` is 0.
  public var int64Value: Int64? {
    guard kind == .number else { return nil }
    let bytes = storage.span.extracting(first: end)
    let isNegative = bytes[start] == Byte.minus
    var offset = isNegative ? start + 1 : start
    guard offset < end else { return nil }
    // Downwards from zero, because Int64.min has no positive counterpart.
    var value: Int64 = 0
    while offset < end {
      let byte = bytes[offset]
      guard Byte.isDigit(byte) else { return nil }
      let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = tens.subtractingReportingOverflow(Int64(byte &- Byte.zero))
      if overflows || overflowsToo { return nil }
      value = sum
      offset += 1
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The number rounded to the nearest double; nil when it is not a number or lies beyond the finite ones.
  public var doubleValue: Double? {
    guard kind == .number else { return nil }
    // Up to 15 digits an integer is a double exactly. Not zero: `-0` has a sign.
    if end - start <= 15, let integer = int64Value, integer != 0 { return Double(integer) }
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }
}
