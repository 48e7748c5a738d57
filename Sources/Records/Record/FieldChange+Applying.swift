extension FieldChange {
  /// The field's value after the change; nil when it has none.
  ///
  /// `type` is the field's type where it is known already. Throws `fieldTypeMismatch` when the result would
  /// not be of that type, or of the present value's where no type is given; `invalidArguments` when an
  /// increment leaves the range of its type.
  public func applied(
    to current: FieldValue?, type: FieldType?, field: String
  ) throws(RecordError) -> FieldValue? {
    let type = type ?? current?.type
    switch self {
    case .unset: return nil
    case .set(let value): return try Self.adopt(value, type, field)
    case .increment(let amount):
      let amount = try Self.adopt(amount, type, field)
      return try Self.sum(current, amount, field)
    case .append(let added):
      let added = try Self.adopt(added, type, field)
      return .list(try Self.elements(of: current, field) + added)
    case .addUnique(let added):
      var elements = try Self.elements(of: current, field)
      var present = DistinctValues(elements)
      for value in try Self.adopt(added, type, field) where present.insert(value) { elements.append(value) }
      return .list(elements)
    case .remove(let removed):
      let removed = DistinctValues(try Self.adopt(removed, type, field))
      if current == nil { return nil }
      return .list(try Self.elements(of: current, field).filter { !removed.contains($0) })
    }
  }

  private static func adopt(
    _ value: FieldValue, _ type: FieldType?, _ field: String
  ) throws(RecordError) -> FieldValue {
    guard let type else { return value }
    guard let adopted = type.adopt(value) else {
      throw mismatch(field, expected: type.name, actual: value.type?.name ?? "list")
    }
    return adopted
  }

  private static func adopt(
    _ elements: [FieldValue], _ type: FieldType?, _ field: String
  ) throws(RecordError) -> [FieldValue] {
    guard case .list(let adopted) = try adopt(.list(elements), type, field) else { return [] }
    return adopted
  }

  private static func elements(of value: FieldValue?, _ field: String) throws(RecordError) -> [FieldValue] {
    switch value {
    case nil: return []
    case .list(let elements): return elements
    case .some(let other): throw mismatch(field, expected: other.type?.name ?? "", actual: "list")
    }
  }

  private static func sum(
    _ current: FieldValue?, _ amount: FieldValue, _ field: String
  ) throws(RecordError) -> FieldValue {
    switch (current, amount) {
    case (nil, _): return amount
    case (.int64(let left), .int64(let right)):
      let (sum, overflows) = left.addingReportingOverflow(right)
      guard !overflows else {
        throw RecordError(.invalidArguments, "field '\(field)': the sum does not fit 64 bits")
      }
      return .int64(sum)
    case (.double(let left), .double(let right)):
      guard (left + right).isFinite else {
        throw RecordError(.invalidArguments, "field '\(field)': the sum is too large for a double")
      }
      return .double(left + right)
    case (.some(let other), _):
      throw mismatch(field, expected: other.type?.name ?? "list", actual: amount.type?.name ?? "number")
    }
  }

  private static func mismatch(_ field: String, expected: String, actual: String) -> RecordError {
    return RecordError(
      .fieldTypeMismatch, "field '\(field)' is of type \(expected), not \(actual)",
      details: [
        .init(name: "field", text: field), .init(name: "expected", text: expected),
        .init(name: "actual", text: actual),
      ])
  }
}
