internal import JSONRPC
internal import Records
internal import SQLite

/// The records that references lead to, as they are in the snapshot of one read. Keeps what it found, within
/// bounds.
final class ReferencedRecords: RecordSnapshot {
  private struct Key: Hashable {
    let name: Name
    let zone: Int64
  }

  private static let maximumRecords = 10_000
  private static let maximumBytes = 8 << 20

  private let connection: Connection
  private let zones: [Name: Int64]
  private var known: [Key: StoredRecord?] = [:]
  private var bytes = 0
  /// Why a record could not be read. From then on all are missing, and no answer may be made of that.
  private(set) var failure: SQLiteError?

  init(_ connection: Connection, zones: [Name: Int64]) {
    self.connection = connection
    self.zones = zones
  }

  /// The record; nil when there is none, and when it could not be read: see ``check()``.
  func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
    guard failure == nil, let zone = zones[Name(zoneName)] else { return nil }
    let key = Key(name: Name(recordName), zone: zone)
    if let record = known[key] { return record }
    do throws(SQLiteError) {
      let record = try read(recordName, zone)
      keep(record, key)
      return record
    } catch {
      failure = error
      return nil
    }
  }

  func deletion(ofRecord recordName: String, inZone zoneName: String) -> RecordDeletion? {
    guard failure == nil else { return nil }
    do throws(SQLiteError) {
      var zone = zones[Name(zoneName)]
      // Its records may be gone because it is.
      if zone == nil { zone = try connection.zone(named: zoneName) }
      guard let zone else { return nil }
      return try connection.deletion(ofRecord: recordName, inZone: zone)
    } catch {
      failure = error
      return nil
    }
  }

  /// Throws when a record could not be read. To be called before what was worked out with it is believed.
  func check() throws(SQLiteError) {
    if let failure { throw failure }
  }

  private func read(_ name: String, _ zone: Int64) throws(SQLiteError) -> StoredRecord? {
    let find = try connection.statement(.recordByName)
    find.bind(name, at: 1)
    find.bind(zone, at: 2)
    let body = try find.first { $0.isNull(3) ? nil : $0.bytes(3) } ?? nil
    return body.map { StoredRecord(body: JSON(unchecked: $0)) }
  }

  private func keep(_ record: StoredRecord?, _ key: Key) {
    bytes += record?.body.bytes.count ?? 0
    if known.count >= Self.maximumRecords || bytes > Self.maximumBytes {
      known.removeAll(keepingCapacity: true)
      bytes = record?.body.bytes.count ?? 0
    }
    known[key] = .some(record)
  }
}
