internal import Records
internal import SQLite

extension WriteTransaction {
  /// Forgets a type that has no records. Versions of records that there were stay in the log.
  mutating func apply(deleteRecordType typeName: String) throws(SQLiteError) -> Result<
    ItemResult, RecordError
  > {
    let name = Name(typeName)
    guard let type = state.types[name] else { return .failure(.unknownType(typeName)) }
    let count = try countRecords(ofType: type.id)
    guard count == 0 else {
      return .failure(
        RecordError(
          .constraintViolation, "the type '\(typeName)' has records; delete them first",
          details: [.init(name: "numberOfRecords", number: Int(count))]))
    }
    for index in type.indexes { try dropIndex(index, ofType: name) }
    for sql in [SQL.removeFields, .removeType] {
      let remove = try connection.statement(sql)
      remove.bind(type.id, at: 1)
      try remove.run()
    }
    // A type that is made next may get the same number.
    state.growth[type.id] = nil
    state.types[name] = nil
    state.schema += 1
    return .success(.deletedRecordType(name: typeName))
  }
}
