public import Records

/// What becomes of fields that a record type has, and of their values in every record.
public struct RecordTypeChanges: Sendable {
  /// The new name of each, all at once: two fields may exchange their names.
  public var renamed: [(from: String, to: String)]
  /// The new type of each. The names are those after renaming.
  public var retyped: [(field: String, type: FieldType)]
  /// The names are those before renaming.
  public var dropped: [String]

  public init(
    renamed: [(from: String, to: String)] = [], retyped: [(field: String, type: FieldType)] = [],
    dropped: [String] = []
  ) {
    self.renamed = renamed
    self.retyped = retyped
    self.dropped = dropped
  }

  public var isEmpty: Bool { renamed.isEmpty && retyped.isEmpty && dropped.isEmpty }
}

/// What changes of a record type do, or would do.
public struct RecordTypeReport: Sendable {
  /// A record, and the value in it that is spoken of.
  public struct Example: Sendable, Equatable {
    public var recordName: String
    public var zoneName: String
    /// Nil where it is missing.
    public var value: FieldValue?
  }

  /// Values of a field that no record has afterwards.
  public struct Loss: Sendable, Equatable {
    /// As it was called before.
    public var field: String
    public var count: Int
    /// The first few of them.
    public var examples: [Example]
  }

  /// Records that break a rule of a field.
  public struct Breach: Sendable, Equatable {
    public var field: String
    public var rule: FieldRules.Rule
    public var count: Int
    public var examples: [Example]
  }

  /// How many are changed.
  public var records = 0
  /// By field.
  public var losses: [Loss] = []
  /// The keys of declared indexes that can't be as they were, in the names from before.
  public var indexesDropped: [[String]] = []
  /// The rules that a field of the new type can't have.
  public var rulesDropped: [(field: String, rule: FieldRules.Rule)] = []
  /// What stands against it, besides losses.
  public var breaches: [Breach] = []
}

extension RecordTypeReport {
  /// How many of each are told.
  static let maximumExamples = 10
}
