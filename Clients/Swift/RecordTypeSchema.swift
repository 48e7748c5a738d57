public import JSONRPC
public import Records

/// A record type with its fields and indexes.
public struct RecordTypeSchema: Sendable {
  /// The type, as received.
  public let json: JSON

  public var name: String { json["name"]?.stringValue ?? "" }
  public var numberOfRecords: Int { Int(json["numberOfRecords"]?.int64Value ?? 0) }
  /// Queries may make indexes by themselves.
  public var automaticIndexes: Bool { json["automaticIndexes"]?.boolValue ?? false }
  public var fields: [Field] { (json["fields"]?.elements).map { $0.map { Field(json: $0) } } ?? [] }
  public var indexes: [Index] { (json["indexes"]?.elements).map { $0.map { Index(json: $0) } } ?? [] }

  public struct Field: Sendable {
    let json: JSON

    public var name: String { json["name"]?.stringValue ?? "" }
    /// Nil for a type that this client does not know.
    public var type: FieldType? { json["type"]?.stringValue.flatMap { FieldType(name: $0) } }
    /// What is demanded of its values; none for a type that this client does not know.
    public var rules: FieldRules { type.map { FieldRules(stored: json, type: $0) } ?? FieldRules() }
    public var indexes: [FieldIndex] {
      (json["indexes"]?.elements).map { $0.compactMap { $0.stringValue.flatMap(FieldIndex.init(rawValue:)) } }
        ?? []
    }
  }

  public struct Index: Sendable {
    /// The index, as received.
    public let json: JSON

    /// Empty for the one of the words of every text.
    public var keys: [String] { (json["keys"]?.elements).map { $0.compactMap(\.stringValue) } ?? [] }
    /// `ordered`, `elements` or `fullText`.
    public var kind: String { json["kind"]?.stringValue ?? "" }
    /// A query made it; nobody declared it.
    public var isAutomatic: Bool { json["origin"]?.stringValue == "automatic" }
    /// It is built; until then queries go without it.
    public var isReady: Bool { json["state"]?.stringValue == "ready" }
    /// The part that is built.
    public var progress: Double { json["progress"]?.doubleValue ?? 1 }
    public var entries: Int { Int(json["entries"]?.int64Value ?? 0) }
    public var bytes: Int { Int(json["bytes"]?.int64Value ?? 0) }
    /// How many queries used it.
    public var uses: Int { Int(json["uses"]?.int64Value ?? 0) }
  }
}

/// What a field is to be searched by.
public enum FieldIndex: String, Sendable, CaseIterable {
  /// By value, range and prefix; a list by its elements.
  case queryable
  case sortable
  /// By words.
  case searchable
}

/// What to declare of a record type; what is left out stays as it is.
public struct RecordTypeDeclaration: Sendable {
  public var name: String
  public var fields: [Field] = []
  /// In place of the declared indexes over several keys; nil: they stay.
  public var indexes: [Index]?
  public var automaticIndexes: Bool?

  public init(name: String, fields: [Field] = [], indexes: [Index]? = nil, automaticIndexes: Bool? = nil) {
    self.name = name
    self.fields = fields
    self.indexes = indexes
    self.automaticIndexes = automaticIndexes
  }

  public struct Field: Sendable {
    public var name: String
    /// Nil for a field that has one.
    public var type: FieldType?
    /// In place of those that it has; nil: they stay.
    public var indexes: Set<FieldIndex>?
    /// The order of `sortable`.
    public var collation: SortDescriptor.Collation?
    /// The rules that become others; with null those that go.
    public var rules: [FieldRules.Change]

    public init(
      _ name: String, _ type: FieldType? = nil, indexes: Set<FieldIndex>? = nil,
      collation: SortDescriptor.Collation? = nil, rules: [FieldRules.Change] = []
    ) {
      self.name = name
      self.type = type
      self.indexes = indexes
      self.collation = collation
      self.rules = rules
    }
  }

  public struct Index: Sendable {
    public var keys: [String]
    /// That of the last key.
    public var collation: SortDescriptor.Collation?

    public init(_ keys: [String], collation: SortDescriptor.Collation? = nil) {
      self.keys = keys
      self.collation = collation
    }
  }

  var node: JSONNode {
    var members: [(String, JSONNode)] = [("name", .string(name))]
    if !fields.isEmpty { members.append(("fields", .object(fields.map { ($0.name, $0.node) }))) }
    if let indexes { members.append(("indexes", .array(indexes.map(\.node)))) }
    if let automaticIndexes { members.append(("automaticIndexes", .bool(automaticIndexes))) }
    return .object(members)
  }
}

extension RecordTypeDeclaration.Field {
  fileprivate var node: JSONNode {
    var members: [(String, JSONNode)] = []
    if let type { members.append(("type", .string(type.name))) }
    if let indexes {
      let names = FieldIndex.allCases.filter(indexes.contains).map(\.rawValue)
      members.append(("indexes", .array(names.map { .string($0) })))
    }
    if let collation { members.append(("collation", .string(collation.rawValue))) }
    members += rules.map { ($0.rule.rawValue, JSONNode.json($0.value)) }
    return .object(members)
  }
}

extension RecordTypeDeclaration.Index {
  fileprivate var node: JSONNode {
    var members: [(String, JSONNode)] = [("keys", .array(keys.map { .string($0) }))]
    if let collation { members.append(("collation", .string(collation.rawValue))) }
    return .object(members)
  }
}
