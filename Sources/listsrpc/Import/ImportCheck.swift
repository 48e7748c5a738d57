import Files
import JSONRPC
import ListsClient
import Records

/// Says what an import would do, and what would be refused, without saving anything.
///
/// Names, values, limits, types and rules of fields are judged by the same code as in the service; unique values and
/// references by what the service has, and by what the rows before would have made of it. What is not looked at is the
/// outcome of a field operation (`$increment`) on a record of the same import.
@MainActor
final class ImportCheck {
  private var schema: CheckedSchema
  private var zones: Set<String>
  private let presentZones: Set<String>
  /// Zones that the import would make.
  private(set) var newZones: [String] = []
  private var created = 0
  private var changed = 0
  private var unnamed = 0
  /// The records that rows would have made or changed, and their types: the second of a name is a change, and what
  /// refers to them leads somewhere. Beyond so many none is remembered.
  private var made: [RecordKey: Int] = [:]
  private var typeNames: [String] = []
  private var unique = UniqueValues()
  private let assets: CheckedAssets
  private static let maximumNames = 2_000_000
  private let maximumRecordBytes: Int
  private let maximumFields: Int
  private let maximumZones: Int
  private let maximumDepth: Int
  /// The brackets around a record in a request.
  private static let envelopeDepth = 4

  /// Asks the service what there is.
  ///
  /// - Parameter folder: Where files of assets are; nil: nowhere.
  init(_ session: Session, limits: JSON?, assets folder: AssetFolder?) async throws(Failure) {
    func limit(_ name: String) -> Int { limits?[name]?.int64Value.map { Int($0) } ?? .max }
    maximumRecordBytes = limit("maximumRecordBytes")
    maximumFields = limit("maximumFields")
    maximumZones = limit("maximumZones")
    maximumDepth = limit("maximumDepth")
    assets = CheckedAssets(folder)
    let described = try await session.call("fetchSchema", [])
    schema = CheckedSchema(described["recordTypes"].map { Array($0.elements) } ?? [])
    let reply = try await session.call("fetchZones", [])
    zones = Set(reply["zones"]?.elements.compactMap { $0["zoneName"]?.stringValue } ?? [])
    zones.insert(Identifier.defaultZone)
    presentZones = zones
  }

  /// Goes on as if the database had this, too.
  func learn(_ brought: DatabaseSchema) {
    schema.learn(brought.recordTypes, withDefaults: false)
    for zone in brought.zones where zones.insert(zone).inserted { newZones.append(zone) }
  }

  /// Why not all was looked at, a sentence each.
  var notes: [String] {
    guard made.count >= Self.maximumNames || unique.isFull else { return [] }
    return [
      "so many records that the last ones were not compared with each other, but only with what is there: "
        + "repeated names and values may be refused"
    ]
  }

  /// A row that was understood, or why it wasn't.
  private typealias Row = (item: ImportItem, draft: Result<RecordDraft, RecordError>)

  func outcomes(of items: [ImportItem], _ session: Session) async throws(Failure) -> [ImportOutcome] {
    try await outcomes(of: items, together: [], session)
  }

  /// Whether records that wait for each other could be saved at once.
  func couldSaveTogether(_ items: [ImportItem], _ session: Session) async throws(Failure) -> Bool {
    let keys = items.compactMap { item in
      item.record["recordName"]?.stringValue.map {
        RecordKey(zone: item.record["zoneName"]?.stringValue ?? Identifier.defaultZone, name: $0)
      }
    }
    let before = (created, changed)
    let outcomes = try await outcomes(of: items, together: Set(keys), session)
    let isPossible = outcomes.allSatisfy { if case .saved = $0 { true } else { false } }
    if !isPossible { (created, changed) = before }
    return isPossible
  }

  private func outcomes(
    of items: [ImportItem], together: Set<RecordKey>, _ session: Session
  ) async throws(Failure) -> [ImportOutcome] {
    let rows: [Row] = items.map { item in
      do throws(RecordError) {
        return (item, .success(try RecordDraft(json: item.record)))
      } catch {
        return (item, .failure(error))
      }
    }
    let drafts = rows.compactMap { try? $0.draft.get() }
    let present = try await PresentRecords(for: drafts, schema, zones: presentZones, session)
    try await assets.look(up: items.map(\.record), session)
    return rows.map { row in
      do throws(RecordError) {
        try check(row.item, try row.draft.get(), present, together)
        return .saved
      } catch {
        return error.code == .referenceViolation ? .deferred(error.message) : .refused(error.message)
      }
    }
  }

  // MARK: One record

  private func check(
    _ item: ImportItem, _ draft: RecordDraft, _ present: PresentRecords, _ together: Set<RecordKey>
  ) throws(RecordError) {
    try checkDepth(of: item.record)
    try checkZone(draft.zoneName)
    if let fault = assets.fault(of: item.record) { throw RecordError(.assetFileNotFound, fault) }
    let key = draft.recordName.map { RecordKey(zone: draft.zoneName, name: $0) }
    let made = key.flatMap { self.made[$0] }
    // What the import made of it is not known.
    let stored = made == nil ? key.flatMap { present.record($0) } : nil
    let isThere = stored != nil || made != nil
    try checkPresence(item, draft, type: stored?.recordType ?? made.map { typeNames[$0] })
    let isWhole = !isThere || item.operationType != "forceUpdate" && item.operationType != "update"
    let body = try body(of: draft, over: stored, isWhole: isWhole)
    let holder = UniqueValues.Holder(
      record: key ?? RecordKey(unnamed: unnamed),
      name: draft.recordName.map { "'\($0)'" } ?? "the record of \(item.place)")
    let claims = try checkRules(
      of: body, draft, isWhole: isWhole, isKnown: made == nil, stored, holder, present)
    if let fault = assets.missing(in: body, over: stored) { throw fault }
    try checkReferences(of: body, draft, over: stored, holder.record, present, together)
    try checkSize(of: body, isWhole: isWhole)
    schema.learn(body)
    if zones.insert(draft.zoneName).inserted { newZones.append(draft.zoneName) }
    for (field, claim) in claims { unique.set(claim, of: field, by: holder) }
    if let key { note(key, draft.recordType) } else { unnamed += 1 }
    if isThere { changed += 1 } else { created += 1 }
  }

  private func note(_ key: RecordKey, _ recordType: String) {
    guard made.count < Self.maximumNames else { return }
    let place = typeNames.firstIndex { $0.hasSameUTF8(as: recordType) } ?? typeNames.count
    if place == typeNames.count { typeNames.append(recordType) }
    made[key] = place
  }

  private func checkDepth(of record: JSON) throws(RecordError) {
    let most = maximumDepth == .max ? maximumDepth : maximumDepth - Self.envelopeDepth
    guard (try? JSON(parsing: Array(record.bytes), maximumDepth: most)) == nil else { return }
    throw RecordError(.limitExceeded, "Parse error: more than \(maximumDepth) levels of brackets")
  }

  private func checkZone(_ name: String) throws(RecordError) {
    guard !zones.contains(name), zones.count - 1 >= maximumZones else { return }
    throw RecordError(
      .limitExceeded, "there are too many zones: \(zones.count - 1), and \(maximumZones) is the most")
  }

  /// - Parameter type: The type of the record that is there; nil when there is none.
  private func checkPresence(_ item: ImportItem, _ draft: RecordDraft, type: String?) throws(RecordError) {
    let name = draft.recordName ?? ""
    guard let type else {
      guard item.operationType == "update" else { return }
      throw RecordError(.unknownItem, "there is no record '\(name)' in the zone '\(draft.zoneName)'")
    }
    if item.operationType == "create" {
      throw RecordError(.serverRecordChanged, "the record '\(name)' exists already")
    }
    guard type.hasSameUTF8(as: draft.recordType) else {
      throw RecordError(
        .invalidArguments, "the record '\(name)' is of type '\(type)' and can't become '\(draft.recordType)'")
    }
  }

  /// What the record would be, as far as that is known.
  private func body(
    of draft: RecordDraft, over stored: StoredRecord?, isWhole: Bool
  ) throws(RecordError) -> RecordBody {
    let stamp = Stamp(timestamp: 0, userRecordName: "_")
    var body =
      stored.map { RecordBody($0) }
      ?? RecordBody(
        recordType: draft.recordType, recordName: draft.recordName ?? "", zoneName: draft.zoneName,
        created: stamp, modified: stamp)
    let schema = schema
    try body.apply(draft.fields, replacing: isWhole) { schema.type(of: $0, in: draft.recordType) }
    if isWhole { body.fillIn(schema.defaults(of: draft.recordType)) }
    guard body.fields.count <= maximumFields else {
      throw RecordError(
        .limitExceeded,
        "the record '\(body.recordName)' has too many fields: \(body.fields.count), and \(maximumFields) is the most"
      )
    }
    return body
  }

  private func checkSize(of body: RecordBody, isWhole: Bool) throws(RecordError) {
    let count = body.encoded().count
    guard isWhole, count > maximumRecordBytes else { return }
    throw RecordError(
      .limitExceeded,
      "the record '\(body.recordName)' has too many bytes: \(count), and \(maximumRecordBytes) is the most")
  }

  /// - Parameter isKnown: What the fields have that are not sent is in the body.
  /// - Returns: What becomes of its values that must be unique.
  private func checkRules(
    of body: RecordBody, _ draft: RecordDraft, isWhole: Bool, isKnown: Bool, _ stored: StoredRecord?,
    _ holder: UniqueValues.Holder, _ present: PresentRecords
  ) throws(RecordError) -> [(field: String, UniqueValues.Claim?)] {
    var claims: [(CheckedSchema.Ruled, value: FieldValue?)] = []
    for ruled in schema.rules(of: body.recordType) {
      let change = draft.fields.first { $0.name.hasSameUTF8(as: ruled.field) }?.change
      guard isWhole || change != nil else { continue }
      // What comes of an operation depends on what is there.
      if !isWhole, !isKnown, change?.dependsOnWhatIsThere == true { continue }
      let value = body.fields.first { $0.name.hasSameUTF8(as: ruled.field) }?.value
      if let violation = ruled.rules.violation(of: value) { throw violation.error(field: ruled.field) }
      if ruled.rules.isUnique { claims.append((ruled, value)) }
    }
    var found: [(field: String, UniqueValues.Claim?)] = []
    for (ruled, value) in claims {
      let claim = value.map {
        UniqueValues.Claim($0, of: ruled.field, in: body.recordType, zone: body.zoneName)
      }
      found.append((ruled.field, claim))
      guard let claim, let value, stored?.value(forKey: ruled.field) != value,
        let other = unique.holder(
          claim, of: ruled.field, besides: holder.record, stored: present.holder(of: claim))
      else { continue }
      var error = FieldRules.Violation(rule: .unique, value: value).error(field: ruled.field)
      error.message += ": \(other.name) has the same"
      throw error
    }
    return found
  }

  private func checkReferences(
    of body: RecordBody, _ draft: RecordDraft, over stored: StoredRecord?, _ own: RecordKey,
    _ present: PresentRecords, _ together: Set<RecordKey>
  ) throws(RecordError) {
    guard !draft.validated.isEmpty, made.count < Self.maximumNames else { return }
    func key(_ reference: HeldReference) -> RecordKey {
      RecordKey(zone: reference.zoneName, name: reference.recordName)
    }
    // What is long there is not held against who changes something else.
    let known = Set((stored?.references ?? []).filter { $0.action == .validate }.map(key))
    for reference in body.references where reference.action == .validate && !known.contains(key(reference)) {
      let target = key(reference)
      if target == own || made[target] != nil || together.contains(target) || present.record(target) != nil {
        continue
      }
      throw RecordError(
        .referenceViolation,
        "field '\(reference.field)' refers to a record that is not there: '\(reference.recordName)' in the zone "
          + "'\(reference.zoneName)'")
    }
  }

  // MARK: What would come of it

  func summary(_ saved: Int64, _ failed: Int64, asJSON: Bool) -> String {
    guard !asJSON else {
      let counts: JSONNode = [
        "dryRun": true, "saved": .int(saved), "created": .int(Int64(created)),
        "changed": .int(Int64(changed)),
        "failed": .int(failed), "zones": .array(newZones.map { .string($0) }),
      ]
      return counts.json.text + "\n"
    }
    var text = "\(DisplayText.count(saved, "record")) would be saved, \(created) of them new"
    if failed > 0 { text += ", \(failed) could not be saved" }
    let zones = newZones.map { "'\(DisplayText.harmless($0))'" }
    if !zones.isEmpty { text += "; zones that would be made: \(zones.joined(separator: ", "))" }
    return text + "\n"
  }
}
