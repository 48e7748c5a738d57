public import Records

/// Figures over the records that match, by group.
public struct AggregateQuery: Sendable {
  /// Which records. Order, sections, cursor and what to include don't matter.
  public var selection: Query
  public var aggregates: [Aggregate]
  /// The keys by whose values the records are grouped; with none, all are one group, also when there are none.
  public var groupKeys: [FieldPath]
  /// Only so many groups, the first in their order. Nil: all of them.
  public var resultsLimit: Int?
  /// Groups that are kept in mind at most; with more the query fails.
  public var maximumGroups: Int

  public init(
    _ selection: Query, _ aggregates: [Aggregate], groupKeys: [FieldPath] = [], resultsLimit: Int? = nil,
    maximumGroups: Int = 10_000
  ) {
    self.selection = selection
    self.aggregates = aggregates
    self.groupKeys = groupKeys
    self.resultsLimit = resultsLimit
    self.maximumGroups = maximumGroups
  }
}

/// A figure to work out.
public struct Aggregate: Sendable {
  public enum Function: String, Sendable, CaseIterable {
    /// Of records; with a key, of those that have a value there.
    case count
    /// Of numbers: exact while they are integers and the sum fits 64 bits, else a double. 0 of none. Null when
    /// it is beyond the doubles.
    case sum
    /// Of numbers, as a double. Null of none.
    case avg
    /// The least of the values that are ordered: booleans, numbers, dates, texts and bytes, in sort order.
    /// Null of none.
    case min
    /// The greatest of the values that ``min`` looks at.
    case max
  }

  public var function: Function
  /// Nil only for ``Function/count``.
  public var key: FieldPath?

  public init(_ function: Function, of key: FieldPath? = nil) {
    self.function = function
    self.key = key
  }
}

/// The figures.
public struct AggregateResult: Sendable {
  /// In the order of their keys, null first.
  public var groups: [AggregateGroup]
  /// The position of the snapshot that was read.
  public var changeToken: ChangeToken
  public var plan: QueryPlan
}

/// Records that have the same values under the group keys, as ``DistinctValue`` has it.
public struct AggregateGroup: Sendable, Equatable {
  /// In the order of the group keys.
  public var keys: [FieldValue?]
  /// In the order of the aggregates.
  public var values: [FieldValue?]

  public init(keys: [FieldValue?], values: [FieldValue?]) {
    self.keys = keys
    self.values = values
  }
}
