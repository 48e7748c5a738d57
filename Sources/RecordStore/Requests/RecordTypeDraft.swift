public import Records

/// What a client declares of a record type. What it doesn't name stays as it is.
public struct RecordTypeDraft: Sendable {
  public var name: String
  public var fields: [Field]
  /// The type's own list of indexes, in place of the one that it had; nil to leave that.
  public var indexes: [Index]?
  /// Whether the type may get indexes by itself; nil to leave that. False also takes those away that it got.
  public var automaticIndexes: Bool?
  /// What becomes of the fields that there are, in the records too. Done first: everything else goes by the names and
  /// types that the fields have then.
  public var changes: RecordTypeChanges
  /// Whether values may be lost by the changes. Otherwise they are refused then.
  public var acceptsLoss = false
  /// Whether nothing is to be done, and only told what would be.
  public var isDryRun = false

  public init(
    name: String, fields: [Field] = [], indexes: [Index]? = nil, automaticIndexes: Bool? = nil,
    changes: RecordTypeChanges = RecordTypeChanges()
  ) {
    self.name = name
    self.fields = fields
    self.indexes = indexes
    self.automaticIndexes = automaticIndexes
    self.changes = changes
  }

  public struct Field: Sendable {
    public var name: String
    /// Nil for a field that is known.
    public var type: FieldType?
    /// What it is used for, in place of what was declared before; nil to leave that.
    public var uses: Set<FieldUse>?
    /// The order that it is sorted in.
    public var collation: SortDescriptor.Collation
    /// Of its rules, those that become others.
    public var rules: [FieldRules.Change]

    public init(
      name: String, type: FieldType? = nil, uses: Set<FieldUse>? = nil,
      collation: SortDescriptor.Collation = .codePoint, rules: [FieldRules.Change] = []
    ) {
      self.name = name
      self.type = type
      self.uses = uses
      self.collation = collation
      self.rules = rules
    }
  }

  public struct Index: Sendable {
    /// In their order. Fields, system keys, and paths into JSON objects; not through references, since what
    /// lies behind one changes without the record.
    public var keys: [FieldPath]
    /// Whether it has an entry for each element of a list, and not one for the whole. Takes exactly one key.
    public var isOfElements: Bool
    /// The order of the last key; those before it are by code point.
    public var collation: SortDescriptor.Collation

    public init(
      keys: [FieldPath], isOfElements: Bool = false, collation: SortDescriptor.Collation = .codePoint
    ) {
      self.keys = keys
      self.isOfElements = isOfElements
      self.collation = collation
    }
  }
}

/// What a field is declared to be used for: each makes queries faster and changes no answer.
public enum FieldUse: String, Sendable, CaseIterable {
  /// Compared in predicates.
  case queryable
  /// Sorted by.
  case sortable
  /// Searched for words; only text.
  case searchable
}
