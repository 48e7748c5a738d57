internal import JSONRPC
internal import Records
internal import SQLite

extension WriteTransaction {
  /// Why a type's rules forbid what a record is to become; nil when they don't. What the end of the request decides
  /// is left to ``refusal(of:)``.
  mutating func violation(
    of body: RecordBody, _ type: RecordType, over row: RecordRow?, claimsLater: Bool
  ) throws(SQLiteError) -> RecordError? {
    let values = Self.values(of: body.fields)
    if let violation = type.violation(of: values) { return violation }
    guard !claimsLater else { return nil }
    for (name, value) in newUniqueValues(values, type, over: row) {
      let holder = try otherHolder(
        of: value, name, zoneName: body.zoneName, ofType: Name(body.recordType), besides: row?.id)
      if let holder { return .notUnique(name, value, heldBy: holder) }
    }
    return nil
  }

  /// Notes what the end of the request is to look at, of a record that was saved.
  func claim(
    _ fields: [RecordBody.Field], _ type: RecordType, ofRecord id: Int64, over row: RecordRow?,
    in commit: inout Commit
  ) {
    guard commit.claims != nil, type.rules.values.contains(where: \.isUnique) else { return }
    let values = Self.values(of: fields)
    for (name, _) in newUniqueValues(values, type, over: row) {
      commit.claims?.claim(name, ofRecord: id, by: commit.place)
    }
  }

  /// Where a value that had to be unique is not, now that a request is done.
  mutating func refusal(of claims: UniqueClaims?) throws(SQLiteError) -> (operation: Int, RecordError)? {
    guard let claims else { return nil }
    for (place, operation) in claims.places {
      guard let record = try row(place.record)?.record,
        state.types[Name(record.recordType)]?.rules[place.field]?.isUnique == true,
        let value = record.value(forKey: place.field.text),
        let holder = try otherHolder(
          of: value, place.field, zoneName: record.zoneName,
          ofType: Name(record.recordType), besides: place.record)
      else { continue }
      // Of two operations of the request the later one is at fault.
      let other = claims.operations[.init(record: holder.id, field: place.field)]
      if let other, other > operation { continue }
      return (operation, .notUnique(place.field, value, heldBy: holder))
    }
    return nil
  }

  /// What a save brings under `unique` that the record didn't have, by field.
  private func newUniqueValues(
    _ values: [Name: FieldValue], _ type: RecordType, over row: RecordRow?
  ) -> [(Name, FieldValue)] {
    type.rules.filter(\.value.isUnique).keys.sorted().compactMap { name in
      guard let value = values[name], row?.record?.value(forKey: name.text) != value else { return nil }
      return (name, value)
    }
  }

  private static func values(of fields: [RecordBody.Field]) -> [Name: FieldValue] {
    Dictionary(fields.map { (Name($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: References that are taken out

  /// Why a deletion may not take references out of records, since these must have them; nil when it may.
  func violation(of cascade: Cascade) throws(SQLiteError) -> RecordError? {
    for update in cascade.updates {
      guard let record = try row(update.id)?.record, let type = state.types[Name(record.recordType)],
        type.rules.values.contains(where: \.isRequired)
      else { continue }
      let body = cascade.body(of: record, after: update)
      guard var violation = type.violation(of: Self.values(of: body.fields)) else { continue }
      violation.message += ": the record '\(record.recordName)' refers to what was to be deleted"
      violation.details += [
        .init(name: "recordName", text: record.recordName), .init(name: "zoneName", text: record.zoneName),
      ]
      return violation
    }
    return nil
  }

  // MARK: Holders

  /// Another record of the type with a value that equals this one.
  private mutating func otherHolder(
    of value: FieldValue, _ field: Name, zoneName: String, ofType type: Name, besides id: Int64?
  ) throws(SQLiteError) -> (id: Int64, record: StoredRecord)? {
    let index = try uniqueIndex(of: field, ofType: type)
    let find = try connection.borrow(.recordsOfKey)
    defer { connection.giveBack(find, of: .recordsOfKey) }
    find.bind(index.id, at: 1)
    find.bind(SortKey.key(of: value), at: 2)
    while try find.step() {
      let other = find.int64(0)
      guard other != id, let record = try row(other)?.record else { continue }
      // References have the same key when they have the same name, in whatever zone.
      guard let held = record.value(forKey: field.text),
        held.naming(zone: record.zoneName).equals(value.naming(zone: zoneName))
      else { continue }
      return (other, record)
    }
    return nil
  }
}

extension RecordType {
  /// Which of its rules a record with these values breaks, of those that concern that record alone.
  fileprivate func violation(of values: [Name: FieldValue]) -> RecordError? {
    for (name, rules) in rules.sorted(by: { $0.key < $1.key }) {
      if let violation = rules.violation(of: values[name]) { return violation.error(field: name.text) }
    }
    return nil
  }
}

extension RecordError {
  fileprivate static func notUnique(
    _ field: Name, _ value: FieldValue, heldBy holder: (id: Int64, record: StoredRecord)
  ) -> RecordError {
    var error = FieldRules.Violation(rule: .unique, value: value).error(field: field.text)
    let name = holder.record.recordName
    error.message += ": '\(name)' has the same"
    error.details.append(.init(name: "recordName", text: name))
    error.details.append(.init(name: "zoneName", text: holder.record.zoneName))
    return error
  }
}
