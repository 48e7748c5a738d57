import JSONRPC
import Records

/// Who has which value of the fields whose values must be unique: in the database, and by what an import did so far.
struct UniqueValues {
  /// A value of a field of a record type, in eight bytes.
  struct Claim: Hashable {
    private let hash: Int

    /// - Parameter zone: Of the record that has the value.
    init(_ value: FieldValue, of field: String, in recordType: String, zone: String) {
      var hasher = Hasher()
      hasher.combine(Array(recordType.utf8))
      hasher.combine(Array(field.utf8))
      hasher.combine(Records.SortKey.key(of: value))
      // References are equal only where their records' zones are, too.
      for reference in value.references { hasher.combine(Array((reference.zoneName ?? zone).utf8)) }
      hash = hasher.finalize()
    }
  }

  struct Holder {
    let record: RecordKey
    /// As a person is told.
    let name: String
  }

  private struct Place: Hashable {
    let record: RecordKey
    let field: [UInt8]
  }

  private var holders: [Claim: Holder] = [:]
  /// What the fields have that the import changed; nil: nothing any more.
  private var changed: [Place: Claim?] = [:]
  /// Beyond so many changes nothing more is remembered.
  private static let limit = 1_000_000
  private(set) var isFull = false

  /// Another record with the value, when `record` is to have it.
  ///
  /// - Parameter stored: Who has it in the database.
  func holder(_ claim: Claim, of field: String, besides record: RecordKey, stored: Holder?) -> Holder? {
    if let holder = holders[claim] { return holder.record == record ? nil : holder }
    guard let stored, stored.record != record,
      changed[Place(record: stored.record, field: Array(field.utf8))] == nil
    else { return nil }
    return stored
  }

  /// The import gives the record's field a value, or takes it away.
  mutating func set(_ claim: Claim?, of field: String, by holder: Holder) {
    guard changed.count < Self.limit else {
      isFull = true
      return
    }
    let place = Place(record: holder.record, field: Array(field.utf8))
    if let earlier = changed[place] ?? nil { holders[earlier] = nil }
    changed[place] = .some(claim)
    if let claim { holders[claim] = holder }
  }
}
