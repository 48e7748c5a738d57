/// The type of a field, fixed by the first value saved under its name for a record type.
public struct FieldType: Sendable, Hashable {
  public enum Element: String, Sendable, CaseIterable {
    case string, int64, double, boolean, date, bytes, location, reference, asset, object
  }

  public var element: Element
  public var isList: Bool

  public init(_ element: Element, isList: Bool = false) {
    self.element = element
    self.isList = isList
  }

  /// As ``name`` writes it; nil for anything else.
  public init?(name: some StringProtocol) {
    if name.hasPrefix("list<"), name.hasSuffix(">") {
      guard let element = Element(rawValue: String(name.dropFirst(5).dropLast())) else { return nil }
      self.init(element, isList: true)
    } else {
      guard let element = Element(rawValue: String(name)) else { return nil }
      self.init(element)
    }
  }

  /// `string`, `list<string>`, …: as in the schema and in messages.
  public var name: String { isList ? "list<\(element.rawValue)>" : element.rawValue }

  /// The value as a field of this type holds it; nil when it is of another type.
  ///
  /// An integer becomes a double in a double field, alone or in a list, unless digits would be lost. An
  /// empty list fits every list field.
  public func adopt(_ value: FieldValue) -> FieldValue? {
    if case .list(let elements) = value {
      guard isList else { return nil }
      if elements.allSatisfy({ $0.element == element }) { return value }
      var adopted: [FieldValue] = []
      adopted.reserveCapacity(elements.count)
      for value in elements {
        guard let value = FieldType(element).adopt(value) else { return nil }
        adopted.append(value)
      }
      return .list(adopted)
    }
    if value.type == self { return value }
    guard !isList, element == .double, case .int64(let integer) = value else { return nil }
    return Double(keepingDigitsOf: integer).map { .double($0) }
  }
}

extension FieldType: CustomStringConvertible {
  public var description: String { name }
}
