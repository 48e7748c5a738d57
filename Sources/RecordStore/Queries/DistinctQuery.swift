public import Records

/// The different values under a key of the records that match, with how many records have each.
public struct DistinctQuery: Sendable {
  /// Which records. Its limits are those of a page of values, its cursor is ``DistinctResult/cursor`` of the
  /// page before; order, sections and what to include don't matter.
  public var selection: Query
  public var key: FieldPath

  public init(_ selection: Query, key: FieldPath) {
    self.selection = selection
    self.key = key
  }
}

/// A page of the different values.
public struct DistinctResult: Sendable {
  /// In sort order, null first.
  public var values: [DistinctValue]
  /// Where the next page starts; nil when there is none.
  public var cursor: String?
  /// The position of the snapshot that was read.
  public var changeToken: ChangeToken
  public var plan: QueryPlan
}

/// Values that a sort can't tell apart (1 and 1.0, canonically equivalent texts, references to one name) are
/// one.
public struct DistinctValue: Sendable, Equatable {
  /// Nil for the records without a value.
  public var value: FieldValue?
  public var count: Int

  public init(_ value: FieldValue?, count: Int) {
    self.value = value
    self.count = count
  }
}
