public import Records

/// What a store knows of record types.
public struct SchemaDescription: Sendable {
  /// By name.
  public var recordTypes: [RecordTypeDescription]
  /// The position of the snapshot that was read.
  public var changeToken: ChangeToken
}

/// What is known of a record type.
public struct RecordTypeDescription: Sendable, Equatable {
  public var name: String
  public var numberOfRecords: Int
  /// Whether it may get indexes by itself.
  public var automaticIndexes: Bool
  /// By name.
  public var fields: [Field]
  /// In the order in which they were made; without the one by recordName, which every type has.
  public var indexes: [Index]

  public struct Field: Sendable, Equatable {
    public var name: String
    public var type: FieldType
    /// What it is declared to be used for, in the order of ``FieldUse``.
    public var uses: [FieldUse]
    /// The order that it is sorted in, where it is sortable.
    public var collation: SortDescriptor.Collation
    public var rules = FieldRules()
  }

  public struct Index: Sendable, Equatable {
    public enum Kind: String, Sendable {
      case ordered, elements, fullText
    }

    public enum Origin: String, Sendable {
      /// A client asked for it.
      case declared
      /// Made because queries were slow without it.
      case automatic
    }

    /// Empty for full text.
    public var keys: [String]
    public var kind: Kind
    /// The order of the last key.
    public var collation: SortDescriptor.Collation
    public var origin: Origin
    /// How much of it is built: below 1 while it is not used yet; nil when it is ready.
    public var progress: Double?
    public var entries: Int
    /// Of the entries' content.
    public var bytes: Int
    /// Queries that it was used for.
    public var uses: Int
    /// Milliseconds since 1970 (UTC); nil when it was not used yet.
    public var lastUsed: Int64?
  }
}
