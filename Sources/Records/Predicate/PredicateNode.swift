extension Predicate {
  /// A part of the condition. Never deeper than ``maximumDepth``, so that it can be walked by recursion.
  public indirect enum Node: Sendable, Equatable {
    case constant(Bool)
    /// At least two; none of them is an `and` itself.
    case and([Node])
    /// At least two; none of them is an `or` itself.
    case or([Node])
    case not(Node)
    case comparison(Comparison)
  }

  /// Levels of parentheses and `NOT` that are accepted.
  public static let maximumDepth = 1000

  /// `left operation right`, or, with a quantifier, that for the elements of the list on the left.
  public struct Comparison: Sendable, Equatable {
    public var left: Expression
    public var operation: Operation
    public var right: Expression
    public var folding: TextFolding
    /// Nil: the left side is compared whole.
    public var quantifier: Quantifier?

    public init(
      _ left: Expression, _ operation: Operation, _ right: Expression, folding: TextFolding = [],
      quantifier: Quantifier? = nil
    ) {
      self.left = left
      self.operation = operation
      self.right = right
      self.folding = folding
      self.quantifier = quantifier
    }
  }

  public enum Operation: String, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    /// The right side is a list of the two bounds, both inclusive.
    case between = "BETWEEN"
    /// The right side is a list of values, or a text that the left side is looked for in.
    case `in` = "IN"
    /// The left side is a list of values, or a text that the right side is looked for in.
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    /// The right side is a pattern: `*` any text, `?` one code point, `\*` `\?` `\\` themselves.
    case like = "LIKE"
    /// The right side is a box.
    case within = "WITHIN"
  }

  public enum Quantifier: String, Sendable, CaseIterable {
    /// At least one element. False for an empty list.
    case anyElement = "ANY"
    /// No element that does not. True for an empty list.
    case allElements = "ALL"
    /// Not ``anyElement``. True for an empty list.
    case noElement = "NONE"
  }

  public enum Expression: Sendable, Equatable {
    /// The record's value there; null when it is missing.
    case path(FieldPath)
    /// A literal or an argument; nil is null.
    case value(FieldValue?)
    /// `{…}` and arguments that are lists.
    case list([Expression])
    case box(LocationBox)
  }
}

/// Part of the earth between two parallels and two meridians, its edges included.
public struct LocationBox: Sendable, Equatable {
  public let southwest: Location
  public let northeast: Location

  /// Nil when the south is north of the north. A west that is east of the east is no fault: the box crosses
  /// longitude 180.
  public init?(southwest: Location, northeast: Location) {
    guard southwest.latitude <= northeast.latitude else { return nil }
    self.southwest = southwest
    self.northeast = northeast
  }

  public func contains(_ location: Location) -> Bool {
    guard (southwest.latitude...northeast.latitude).contains(location.latitude) else { return false }
    // Every meridian goes through the poles.
    if abs(location.latitude) == 90 { return true }
    // Longitude 180 is -180 too: a place there is tried as both.
    if abs(location.longitude) == 180 { return containsMeridian(180) || containsMeridian(-180) }
    return containsMeridian(location.longitude)
  }

  private func containsMeridian(_ longitude: Double) -> Bool {
    let west = southwest.longitude
    let east = northeast.longitude
    return west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east
  }
}
