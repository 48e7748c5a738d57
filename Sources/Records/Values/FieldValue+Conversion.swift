import JSONRPC

extension FieldValue {
  /// What a value becomes in a field that gets another type.
  public enum Conversion: Sendable, Equatable {
    case value(FieldValue)
    /// An empty list in a field that holds one value: the field is missing.
    case nothing
    /// It can't be had as that type.
    case lost
  }

  /// This value as a field of `type` holds it, if it is the same there.
  ///
  /// Anything becomes text: numbers, booleans and dates as they are spelt on the wire, bytes as base64, others as
  /// their JSON. Text becomes what its whole spells: a number as JSON has it, `true` or `false`, a date in ISO
  /// 8601. Integers and doubles become each other where they are equal; dates and integers too, by milliseconds since
  /// 1970. One value becomes a list of it, and a list of at most one value that value. The elements of a list are
  /// converted one by one.
  public func converted(to type: FieldType) -> Conversion {
    if let value = type.isSame(as: self) { return .value(value) }
    let elements: [FieldValue] = if case .list(let elements) = self { elements } else { [self] }
    var converted: [FieldValue] = []
    converted.reserveCapacity(elements.count)
    for element in elements {
      guard let value = element.converted(to: type.element) else { return .lost }
      converted.append(value)
    }
    if type.isList { return .value(.list(converted)) }
    guard converted.count <= 1 else { return .lost }
    return converted.first.map { .value($0) } ?? .nothing
  }

  private func converted(to element: FieldType.Element) -> FieldValue? {
    if self.element == element { return self }
    switch (self, element) {
    case (_, .string): return .string(wireText)
    case (.string(let text), .int64): return Self.number(text) { $0.int64Value.map { .int64($0) } }
    case (.string(let text), .double): return Self.number(text) { $0.doubleValue.map { .double($0) } }
    case (.string("true"), .boolean): return .boolean(true)
    case (.string("false"), .boolean): return .boolean(false)
    case (.string(let text), .date): return DateText.parse(text).map { .date($0) }
    case (.int64(let integer), .double):
      let double = Double(integer)
      return Int64(exactly: double) == integer ? .double(double) : nil
    case (.double(let double), .int64): return Int64(exactly: double).map { .int64($0) }
    case (.date(let moment), .int64): return .int64(moment)
    case (.int64(let moment), .date): return DateText.range.contains(moment) ? .date(moment) : nil
    default: return nil
    }
  }

  private var wireText: String {
    switch self {
    case .string(let text): text
    case .date(let moment): DateText.format(moment)
    case .bytes(let bytes): Base64.encode(bytes)
    default: json.text
    }
  }

  /// The number that the whole text is, as JSON spells numbers.
  private static func number(_ text: String, _ value: (JSON) -> FieldValue?) -> FieldValue? {
    guard let json = try? JSON(parsing: text), json.kind == .number, json.bytes.count == text.utf8.count
    else { return nil }
    return value(json)
  }
}

extension FieldType {
  /// The value, when it is of this type as it is.
  fileprivate func isSame(as value: FieldValue) -> FieldValue? {
    if case .list(let elements) = value {
      return isList && elements.allSatisfy { $0.element == element } ? value : nil
    }
    return value.type == self ? value : nil
  }
}
