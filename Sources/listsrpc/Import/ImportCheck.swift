import JSONRPC
import Records

/// Says what an import would do, and what would be refused, without saving anything.
///
/// Names, values, limits, types and rules of fields are judged by the same code as in the service. What other records
/// decide is not looked at: values that must be unique, and references to what isn't there.
@MainActor
final class ImportCheck {
  private struct Field: Hashable {
    let recordType: [UInt8]
    let name: [UInt8]

    init(_ recordType: String, _ name: String) {
      self.recordType = Array(recordType.utf8)
      self.name = Array(name.utf8)
    }
  }

  /// The types of fields: as they are, then as the records that came before would make them.
  private var types: [Field: FieldType] = [:]
  /// The fields that have rules, of each record type.
  private var rules: [String: [(field: String, rules: FieldRules)]] = [:]
  private var zones: Set<String> = []
  /// Zones that the import would make.
  private(set) var newZones: [String] = []
  private var created = 0
  private var changed = 0
  /// The names that were given already, so that the second of a name is known for a change. Beyond so many it isn't.
  private var names: Set<String> = []
  private static let maximumNames = 1_000_000
  private let maximumRecordBytes: Int
  private let maximumFields: Int

  /// Asks the service what there is.
  init(_ session: Session, limits: JSON?) async throws(Failure) {
    maximumRecordBytes = limits?["maximumRecordBytes"]?.int64Value.map { Int($0) } ?? .max
    maximumFields = limits?["maximumFields"]?.int64Value.map { Int($0) } ?? .max
    let schema = try await session.call("fetchSchema", [])
    for type in schema["recordTypes"].map({ Array($0.elements) }) ?? [] { learn(type) }
    let reply = try await session.call("fetchZones", [])
    zones = Set(reply["zones"]?.elements.compactMap { $0["zoneName"]?.stringValue } ?? [])
    zones.insert(Identifier.defaultZone)
  }

  private func learn(_ recordType: JSON) {
    let typeName = recordType["name"]?.stringValue ?? ""
    for field in recordType["fields"].map({ Array($0.elements) }) ?? [] {
      guard let name = field["name"]?.stringValue,
        let type = field["type"]?.stringValue.flatMap({ FieldType(name: $0) })
      else { continue }
      types[Field(typeName, name)] = type
      let rules = FieldRules(stored: field, type: type)
      if rules.areChecked { self.rules[typeName, default: []].append((name, rules)) }
    }
  }

  func outcomes(of items: [ImportItem], _ session: Session) async throws(Failure) -> [ImportOutcome] {
    let present = try await present(among: items, session)
    return items.map { item in
      do throws(RecordError) {
        try check(item, present)
        return .saved
      } catch {
        return .refused(error.message)
      }
    }
  }

  /// The keys of those items whose records are there.
  private func present(among items: [ImportItem], _ session: Session) async throws(Failure) -> Set<String> {
    var byZone: [String: [String]] = [:]
    for item in items {
      guard let name = item.record["recordName"]?.stringValue,
        (try? Identifier.check(name, as: .recordName)) != nil
      else { continue }
      let zone = item.record["zoneName"]?.stringValue ?? Identifier.defaultZone
      if zones.contains(zone) { byZone[zone, default: []].append(name) }
    }
    var present: Set<String> = []
    for (zone, names) in byZone {
      let reply = try await session.call(
        "fetchRecords",
        [
          ("recordNames", .array(names.map { .string($0) })), ("zoneName", .string(zone)),
          ("desiredKeys", .array([])),
        ])
      for (name, result) in zip(names, reply["results"].map { Array($0.elements) } ?? [])
      where result["error"] == nil {
        present.insert(Self.key(zone, name))
      }
    }
    return present
  }

  private static func key(_ zone: String, _ name: String) -> String { "\(zone)\u{0}\(name)" }

  private func check(_ item: ImportItem, _ present: Set<String>) throws(RecordError) {
    let draft = try RecordDraft(json: item.record)
    guard item.record.bytes.count <= maximumRecordBytes else {
      throw RecordError(.limitExceeded, "the record has more than \(maximumRecordBytes) bytes")
    }
    guard draft.fields.count <= maximumFields else {
      throw RecordError(.limitExceeded, "the record has more than \(maximumFields) fields")
    }
    let key = draft.recordName.map { Self.key(draft.zoneName, $0) }
    let exists = key.map { present.contains($0) || names.contains($0) } ?? false
    if item.operationType == "create", exists {
      throw RecordError(.serverRecordChanged, "a record named '\(draft.recordName ?? "")' exists")
    }
    if item.operationType == "update", !exists {
      throw RecordError(.unknownItem, "there is no record '\(draft.recordName ?? "")'")
    }
    let keepsOthers = exists && item.operationType != "forceReplace"
    let found = try newTypes(draft)
    try checkRules(of: draft, keepsOthers: keepsOthers)
    types.merge(found) { old, _ in old }
    if zones.insert(draft.zoneName).inserted { newZones.append(draft.zoneName) }
    if let key, names.count < Self.maximumNames { names.insert(key) }
    if exists { changed += 1 } else { created += 1 }
  }

  /// The types that the record's fields would get that have none; throws where one has another.
  private func newTypes(_ draft: RecordDraft) throws(RecordError) -> [Field: FieldType] {
    var found: [Field: FieldType] = [:]
    for field in draft.fields {
      let place = Field(draft.recordType, field.name)
      let value = try field.change.applied(to: nil, type: types[place], field: field.name)
      if types[place] == nil, let type = value?.type { found[place] = type }
    }
    return found
  }

  /// - Parameter keepsOthers: Fields that are not sent keep what they have.
  private func checkRules(of draft: RecordDraft, keepsOthers: Bool) throws(RecordError) {
    for (name, rules) in rules[draft.recordType] ?? [] {
      let sent = draft.fields.first { $0.name.hasSameUTF8(as: name) }
      guard sent != nil || !keepsOthers else { continue }
      var value: FieldValue?
      switch sent?.change {
      case nil: value = rules.standard
      case .set(let new): value = types[Field(draft.recordType, name)]?.adopt(new) ?? new
      case .unset: break
      // What comes of these depends on what is there.
      default: continue
      }
      if let violation = rules.violation(of: value) { throw violation.error(field: name) }
    }
  }

  /// What would come of it.
  func summary(_ saved: Int64, _ failed: Int64, asJSON: Bool) -> String {
    guard !asJSON else {
      let counts: JSONNode = [
        "dryRun": true, "saved": .int(saved), "created": .int(Int64(created)),
        "changed": .int(Int64(changed)),
        "failed": .int(failed), "zones": .array(newZones.map { .string($0) }),
      ]
      return counts.json.text + "\n"
    }
    var text = "\(saved) records would be saved, \(created) of them new"
    if failed > 0 { text += ", \(failed) could not be saved" }
    let zones = newZones.map { "'\(DisplayText.harmless($0))'" }
    if !zones.isEmpty { text += "; zones that would be made: \(zones.joined(separator: ", "))" }
    return text + "\n"
  }
}
