@testable import Records

/// Records that references can lead to, all there are.
struct KnownRecords: RecordResolver {
  private var records: [String: [StoredRecord]] = [:]

  init(_ records: [StoredRecord]) {
    for record in records { self.records[record.recordName, default: []].append(record) }
  }

  func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
    records[recordName]?.first {
      $0.recordName.hasSameUTF8(as: recordName) && $0.zoneName.hasSameUTF8(as: zoneName)
    }
  }
}
