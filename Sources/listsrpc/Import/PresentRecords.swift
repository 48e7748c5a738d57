import JSONRPC
import ListsClient
import Records

/// What the database has of the records that a batch is about, and of those that these refer to.
@MainActor
struct PresentRecords {
  /// With the fields that were asked for.
  private var records: [RecordKey: StoredRecord] = [:]
  /// Who has the values that the batch brings under `unique`.
  private var holders: [UniqueValues.Claim: UniqueValues.Holder] = [:]

  func record(_ key: RecordKey) -> StoredRecord? { records[key] }
  func holder(of claim: UniqueValues.Claim) -> UniqueValues.Holder? { holders[claim] }

  /// Asks the service.
  ///
  /// - Parameter zones: Those that are there.
  init(
    for drafts: [RecordDraft], _ schema: CheckedSchema, zones: Set<String>, _ session: Session
  ) async throws(Failure) {
    var names: [String: Set<String>] = [:]
    var fields: Set<String> = []
    for draft in drafts {
      if let name = draft.recordName { names[draft.zoneName, default: []].insert(name) }
      for target in draft.validated {
        names[target.zoneName ?? draft.zoneName, default: []].insert(target.recordName)
      }
      fields.formUnion(Self.fields(draft, schema))
    }
    for (zone, names) in names where zones.contains(zone) {
      let valid = names.filter { (try? Identifier.check($0, as: .recordName)) != nil }.sorted()
      for start in stride(from: 0, to: valid.count, by: Self.maximumNames) {
        let some = valid[start..<min(start + Self.maximumNames, valid.count)]
        try await look(up: some, in: zone, fields.sorted(), session)
      }
    }
    try await findHolders(drafts, schema, session)
  }

  private static let maximumNames = 500

  /// The fields of a record that is there that decide whether it may be changed so.
  private static func fields(_ draft: RecordDraft, _ schema: CheckedSchema) -> Set<String> {
    var fields: Set<String> = []
    for ruled in schema.rules(of: draft.recordType) {
      let change = draft.fields.first { $0.name.hasSameUTF8(as: ruled.field) }?.change
      if ruled.rules.isUnique || (change?.dependsOnWhatIsThere ?? false) { fields.insert(ruled.field) }
    }
    if !draft.validated.isEmpty { fields.formUnion(schema.referenceFields(of: draft.recordType)) }
    for field in draft.fields where field.change.hasAssets { fields.insert(field.name) }
    return fields
  }

  private mutating func look(
    up names: ArraySlice<String>, in zone: String, _ fields: [String], _ session: Session
  ) async throws(Failure) {
    let reply: JSON
    do throws(Failure) {
      reply = try await session.call(
        "fetchRecords",
        [
          ("recordNames", .array(names.map { .string($0) })), ("zoneName", .string(zone)),
          ("desiredKeys", .array(fields.map { .string($0) })),
        ])
    } catch {
      // Together they may be too long for a reply; one record never is.
      guard error.rejection?.errorCode == "limitExceeded", names.count > 1 else { throw error }
      let middle = names.startIndex + names.count / 2
      try await look(up: names[..<middle], in: zone, fields, session)
      return try await look(up: names[middle...], in: zone, fields, session)
    }
    for (name, result) in zip(names, reply["results"].map { Array($0.elements) } ?? []) {
      guard result["error"] == nil, let record = result["record"] else { continue }
      records[RecordKey(zone: zone, name: name)] = StoredRecord(body: record)
    }
  }

  // MARK: Unique values

  private mutating func findHolders(
    _ drafts: [RecordDraft], _ schema: CheckedSchema, _ session: Session
  ) async throws(Failure) {
    for (type, drafts) in Dictionary(grouping: drafts, by: \.recordType) {
      for ruled in schema.rules(of: type) where ruled.rules.isUnique {
        var values: [JSONNode] = []
        for draft in drafts {
          guard
            case .set(let value)? = draft.fields.first(where: { $0.name.hasSameUTF8(as: ruled.field) })?
              .change,
            let adopted = ruled.type.adopt(value)
          else { continue }
          values.append(.json(adopted.naming(zone: draft.zoneName).json))
        }
        // A list of lists is no operand, so these are looked for one by one.
        let operands = ruled.type.isList ? values : values.isEmpty ? [] : [.array(values)]
        for operand in operands {
          try await findHolders(ruled, type, ruled.type.isList ? "%K == %@" : "%K IN %@", operand, session)
        }
      }
    }
  }

  private mutating func findHolders(
    _ ruled: CheckedSchema.Ruled, _ type: String, _ predicate: String, _ operand: JSONNode, _ session: Session
  ) async throws(Failure) {
    var cursor: String?
    repeat {
      var params: [(String, JSONNode)] = [
        ("recordType", .string(type)), ("predicate", .string(predicate)),
        ("arguments", .array([.string(ruled.field), operand])),
        ("desiredKeys", .array([.string(ruled.field)])), ("resultsLimit", 500),
      ]
      if let cursor { params.append(("cursor", .string(cursor))) }
      let reply = try await session.call("performQuery", params)
      for body in reply["records"].map({ Array($0.elements) }) ?? [] {
        let record = StoredRecord(body: body)
        guard let value = record.value(forKey: ruled.field) else { continue }
        let claim = UniqueValues.Claim(value, of: ruled.field, in: type, zone: record.zoneName)
        holders[claim] = .init(
          record: RecordKey(zone: record.zoneName, name: record.recordName), name: "'\(record.recordName)'")
      }
      cursor = reply["cursor"]?.stringValue
    } while cursor != nil
  }
}

extension RecordDraft {
  /// The references that must lead to a record.
  var validated: [Reference] { fields.flatMap { $0.change.values.flatMap(\.validated) } }
}

extension FieldChange {
  /// What it brings.
  fileprivate var values: [FieldValue] {
    switch self {
    case .set(let value), .increment(let value): [value]
    case .append(let values), .addUnique(let values): values
    case .unset, .remove: []
    }
  }

  var dependsOnWhatIsThere: Bool {
    switch self {
    case .set, .unset: false
    case .increment, .append, .addUnique, .remove: true
    }
  }

  fileprivate var hasAssets: Bool { values.contains { $0.type?.element == .asset } }
}

extension FieldValue {
  fileprivate var validated: [Reference] { references.filter { $0.action == .validate } }
}
