public import Records
internal import SQLite

extension Reader {
  /// All record types, or the one of that name. Looks at no record.
  ///
  /// Throws `unknownItem` when there is no type of that name.
  public func schema(ofType typeName: String? = nil) throws(RecordError) -> SchemaDescription {
    let uses = advisor.uses
    let schema = try read { (connection, state) throws(SQLiteError) -> SchemaDescription in
      var types: [RecordTypeDescription] = []
      for (name, type) in state.types.sorted(by: { $0.key < $1.key })
      where typeName.map({ Name($0) == name }) ?? true {
        types.append(try connection.description(of: type, named: name.text, uses))
      }
      return SchemaDescription(recordTypes: types, changeToken: state.token)
    }
    if let typeName, schema.recordTypes.isEmpty {
      throw RecordError(.unknownItem, "there is no record type '\(typeName)'")
    }
    return schema
  }
}

extension Connection {
  fileprivate func description(
    of type: RecordType, named name: String, _ uses: [Int64: IndexAdvisor.Use]
  ) throws(SQLiteError) -> RecordTypeDescription {
    let count = try statement(.recordsOfType)
    count.bind(type.id, at: 1)
    let records = try count.first { $0.int64(0) } ?? 0
    let largest = try statement(.largestRecord).first { $0.int64(0) } ?? 0
    var indexes: [RecordTypeDescription.Index] = []
    let rows = try statement(.indexesOfType)
    rows.bind(type.id, at: 1)
    while try rows.step() {
      guard let index = type.indexes.first(where: { $0.id == rows.int64(0) }), index.origin != .type
      else { continue }
      indexes.append(.init(index, row: rows, largestRecord: largest, uses[index.id]))
    }
    return RecordTypeDescription(
      name: name, numberOfRecords: Int(records), automaticIndexes: type.makesAutomaticIndexes,
      fields: type.fields.sorted { $0.key < $1.key }.map { name, valueType in
        .init(name.text, valueType, type.fieldIndexing[name] ?? [], type.rules[name] ?? FieldRules())
      }, indexes: indexes)
  }
}

extension RecordTypeDescription.Index {
  fileprivate init(
    _ index: DeclaredIndex, row: Statement, largestRecord: Int64, _ recent: IndexAdvisor.Use?
  ) {
    keys = index.parts.map(\.descriptor.key)
    kind =
      switch index.kind {
      case .ordered: .ordered
      case .elements: .elements
      case .fullText: .fullText
      }
    collation = index.isLocalized ? .localized : .codePoint
    origin = index.origin == .automatic ? .automatic : .declared
    progress = row.optionalInt64(1).map { min(Double($0) / Double(max(largestRecord, 1)), 1) }
    entries = Int(row.int64(2))
    bytes = Int(row.int64(3))
    uses = Int(row.int64(4) + (recent?.count ?? 0))
    lastUsed = recent?.last ?? row.optionalInt64(5)
  }
}

extension RecordTypeDescription.Field {
  fileprivate init(_ name: String, _ type: FieldType, _ indexing: FieldIndexing, _ rules: FieldRules) {
    self.rules = rules
    self.name = name
    self.type = type
    uses = FieldUse.allCases.filter { indexing.contains($0.indexing) }
    collation = indexing.contains(.localized) ? .localized : .codePoint
  }
}

extension FieldUse {
  /// As the file keeps it.
  var indexing: FieldIndexing {
    switch self {
    case .queryable: .queryable
    case .sortable: .sortable
    case .searchable: .searchable
    }
  }
}
