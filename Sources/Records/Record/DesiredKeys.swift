/// The fields that a record is given out with.
public struct DesiredKeys: Sendable {
  private let names: Set<FieldName>

  /// Names that a record doesn't have are ignored; with no names, no fields are given out.
  public init(_ names: [String]) {
    self.names = Set(names.map(FieldName.init))
  }

  public func contains(_ name: String) -> Bool { names.contains(FieldName(name)) }
}
