internal import JSONRPC
public import Records
internal import SQLite

/// The records of a store as they were at a commit, found by going back in the log of changes from how they are
/// in the reader's snapshot. Keeps what it found, within bounds.
///
/// Confined to its reader's thread, and not to be used after the reader's next `renew()`.
public final class PastRecords: RecordSnapshot {
  private struct Place: Hashable {
    let name: Name
    let zone: Int64
  }

  private static let maximumRecords = 10_000
  private static let maximumBytes = 8 << 20

  private let connection: Connection
  /// The last version that may be seen.
  private let version: Version
  private let explain: (SQLiteError) -> RecordError
  private var zones: [Name: Int64?] = [:]
  private var known: [Place: StoredRecord?] = [:]
  private var bytes = 0
  private(set) var failure: SQLiteError?

  init(at sequence: Int64, _ connection: Connection, explain: @escaping (SQLiteError) -> RecordError) {
    self.connection = connection
    self.explain = explain
    version = .last(ofCommit: sequence)
  }

  /// The record as it was; nil when there was none, and when it could not be read: see ``check()``.
  public func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
    guard failure == nil else { return nil }
    do throws(SQLiteError) {
      guard let zone = try zone(Name(zoneName)) else { return nil }
      let place = Place(name: Name(recordName), zone: zone)
      if let record = known[place] { return record }
      let record = try read(place)
      keep(record, place)
      return record
    } catch {
      failure = error
      return nil
    }
  }

  public func deletion(ofRecord recordName: String, inZone zoneName: String) -> RecordDeletion? {
    guard failure == nil else { return nil }
    do throws(SQLiteError) {
      guard let zone = try zone(Name(zoneName)) else { return nil }
      return try connection.deletion(ofRecord: recordName, inZone: zone, at: version)
    } catch {
      failure = error
      return nil
    }
  }

  /// Throws when a record could not be read: from then on all are missing, and nothing that was worked out with
  /// them is to be believed.
  public func check() throws(RecordError) {
    if let failure { throw explain(failure) }
  }

  /// Zones of which only the past is left included.
  private func zone(_ name: Name) throws(SQLiteError) -> Int64? {
    if let zone = zones[name] { return zone }
    let zone = try connection.zone(named: name.text)
    if zones.count >= Self.maximumRecords { zones.removeAll() }
    zones[name] = .some(zone)
    return zone
  }

  private func read(_ place: Place) throws(SQLiteError) -> StoredRecord? {
    let find = try connection.statement(.recordByName)
    find.bind(place.name.text, at: 1)
    find.bind(place.zone, at: 2)
    defer { find.reset() }
    guard try find.step() else { return nil }
    guard Version(rawValue: find.int64(2)) <= version else {
      return try connection.state(ofRecord: find.int64(0), at: version).record
    }
    return find.isNull(3) ? nil : StoredRecord(body: JSON(unchecked: find.bytes(3)))
  }

  private func keep(_ record: StoredRecord?, _ place: Place) {
    bytes += record?.body.bytes.count ?? 0
    if known.count >= Self.maximumRecords || bytes > Self.maximumBytes {
      known.removeAll(keepingCapacity: true)
      bytes = record?.body.bytes.count ?? 0
    }
    known[place] = .some(record)
  }
}
