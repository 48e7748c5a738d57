internal import JSONRPC
internal import Records

/// What a declaration of a record type comes to, given what is known of the type. Decided before anything is
/// written.
struct RecordTypePlan {
  /// Fields that become known.
  private(set) var newFields: [(name: Name, type: FieldType)] = []
  /// Fields of which something else is declared now.
  private(set) var indexing: [(name: Name, indexing: FieldIndexing)] = []
  /// Fields whose rules are others now.
  private(set) var rules: [(name: Name, before: FieldRules, after: FieldRules)] = []
  /// Every index that is declared now, and whether it is in the type's own list.
  private(set) var indexes: [(shape: IndexShape, isListed: Bool)] = []
  /// Whether the type may get indexes by itself.
  let makesAutomaticIndexes: Bool

  /// Keys of an index at most.
  static let maximumKeys = 16

  /// Throws `invalidArguments`, `fieldTypeMismatch` and `limitExceeded`.
  init(_ draft: RecordTypeDraft, known: RecordType?, limits: StoreLimits) throws(RecordError) {
    guard draft.fields.count <= limits.maximumFields else {
      throw .limit(
        "maximumFields", limits.maximumFields, actual: draft.fields.count,
        "the type '\(draft.name)' has too many fields")
    }
    makesAutomaticIndexes = draft.automaticIndexes ?? known?.makesAutomaticIndexes ?? true
    var types = known?.fields ?? [:]
    var declared = known?.fieldIndexing ?? [:]
    for field in draft.fields {
      let type = try Self.type(of: field, known: types[Name(field.name)])
      if types.updateValue(type, forKey: Name(field.name)) == nil {
        newFields.append((Name(field.name), type))
      }
      let before = known?.rules[Name(field.name)] ?? FieldRules()
      let after = try before.declaring(field.rules, field: field.name, type: type)
      if after != before { rules.append((Name(field.name), before, after)) }
      guard let indexing = try Self.indexing(of: field, type) else { continue }
      if indexing != declared[Name(field.name)] ?? [] { self.indexing.append((Name(field.name), indexing)) }
      declared[Name(field.name)] = indexing
    }
    try collect(draft, known: known, types: types, declared: declared)
    guard indexes.count <= limits.maximumIndexes else {
      throw .limit(
        "maximumIndexes", limits.maximumIndexes, actual: indexes.count,
        "the type '\(draft.name)' would have too many indexes")
    }
  }

  // MARK: Fields

  private static func type(
    of field: RecordTypeDraft.Field, known: FieldType?
  ) throws(RecordError) -> FieldType {
    guard let type = field.type ?? known else {
      throw RecordError(
        .invalidArguments, "the field '\(field.name)' is not known yet, so it needs a type")
    }
    if let known, type != known {
      throw .fieldTypeMismatch(field.name, expected: known, actual: type)
    }
    return type
  }

  /// Nil to leave what was declared.
  private static func indexing(
    of field: RecordTypeDraft.Field, _ type: FieldType
  ) throws(RecordError) -> FieldIndexing? {
    guard let uses = field.uses else { return nil }
    if uses.contains(.searchable), type.element != .string {
      throw RecordError(
        .invalidArguments, "the field '\(field.name)' is of type \(type): only text is searchable")
    }
    var indexing: FieldIndexing = []
    if uses.contains(.queryable) { indexing.insert(.queryable) }
    if uses.contains(.sortable) { indexing.insert(.sortable) }
    if uses.contains(.searchable) { indexing.insert(.searchable) }
    if uses.contains(.sortable), field.collation == .localized { indexing.insert(.localized) }
    return indexing
  }

  // MARK: Indexes

  private mutating func collect(
    _ draft: RecordTypeDraft, known: RecordType?, types: [Name: FieldType], declared: [Name: FieldIndexing]
  ) throws(RecordError) {
    for (name, indexing) in declared.sorted(by: { $0.key < $1.key }) {
      for shape in IndexShape.shapes(of: name, types[name], indexing) { add(shape, isListed: false) }
    }
    var ruled = known?.rules ?? [:]
    for (name, _, after) in rules { ruled[name] = after }
    for (name, rules) in ruled.sorted(by: { $0.key < $1.key }) where rules.isUnique {
      if let shape = IndexShape(uniqueValuesOf: name) { add(shape, isListed: false) }
    }
    guard let listed = draft.indexes else {
      for index in known?.indexes ?? [] where index.isListed { add(index.shape, isListed: true) }
      return
    }
    for index in listed { add(try IndexShape(index, types: types), isListed: true) }
  }

  private mutating func add(_ shape: IndexShape, isListed: Bool) {
    guard let place = indexes.firstIndex(where: { $0.shape == shape }) else {
      return indexes.append((shape, isListed))
    }
    if isListed { indexes[place].isListed = true }
  }
}

extension IndexShape {
  /// The index that tells whether another record has a value; nil for what is no field's name.
  init?(uniqueValuesOf field: Name) {
    guard let path = FieldPath([field.text]) else { return nil }
    self.init(parts: [IndexPart(path)])
  }

  /// The indexes that a field of this type is to have.
  static func shapes(of name: Name, _ type: FieldType?, _ indexing: FieldIndexing) -> [IndexShape] {
    guard let path = FieldPath([name.text]) else { return [] }
    var shapes: [IndexShape] = []
    if indexing.contains(.queryable) {
      shapes.append(IndexShape(kind: type?.isList == true ? .elements : .ordered, parts: [IndexPart(path)]))
    }
    if indexing.contains(.sortable) {
      let collation: SortDescriptor.Collation = indexing.contains(.localized) ? .localized : .codePoint
      shapes.append(IndexShape(parts: [IndexPart(path, collation)]))
    }
    if indexing.contains(.searchable) { shapes.append(IndexShape(kind: .fullText)) }
    return shapes
  }

  /// Throws `invalidArguments` for keys that can't be an index's.
  fileprivate init(_ index: RecordTypeDraft.Index, types: [Name: FieldType]) throws(RecordError) {
    let keys = index.keys
    guard (1...RecordTypePlan.maximumKeys).contains(keys.count) else {
      throw RecordError(.invalidArguments, "an index takes 1 to \(RecordTypePlan.maximumKeys) keys")
    }
    guard Set(keys).count == keys.count else {
      throw RecordError(.invalidArguments, "an index takes each key once: \(keys.listed)")
    }
    guard !index.isOfElements || keys.count == 1 else {
      throw RecordError(.invalidArguments, "an index of elements takes one key: \(keys.listed)")
    }
    for key in keys where !key.isIndexable(types) {
      throw RecordError(
        .invalidArguments,
        "'\(key)' can't be a key of an index: "
          + (key.systemKey == nil
            ? "what lies behind the reference '\(key.root)' changes without the record"
            : "there is nothing behind '\(key.root)'"))
    }
    var parts = keys.map { IndexPart($0) }
    if let last = parts.popLast() { parts.append(IndexPart(last.path, index.collation)) }
    self.init(kind: index.isOfElements ? .elements : .ordered, parts: parts)
  }
}

extension FieldPath {
  /// Whether its value depends on nothing but the record itself.
  func isIndexable(_ types: [Name: FieldType]) -> Bool {
    if components.count == 1, !countsElements { return true }
    return systemKey == nil && (components.count == 1 || types[Name(root)]?.element != .reference)
  }
}

extension [FieldPath] {
  fileprivate var listed: String { map(\.description).joined(separator: ", ") }
}
