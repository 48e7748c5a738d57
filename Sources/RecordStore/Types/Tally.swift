internal import Records

/// How often something was met, by what it was, with the first few places.
struct Tally<Key: Hashable & Comparable> {
  struct Entry {
    var key: Key
    var count: Int
    var examples: [RecordTypeReport.Example]
  }

  private var byKey: [Key: Entry] = [:]

  mutating func add(_ key: Key, _ record: StoredRecord, _ value: FieldValue?) {
    var entry = byKey[key] ?? Entry(key: key, count: 0, examples: [])
    entry.count += 1
    if entry.examples.count < RecordTypeReport.maximumExamples {
      entry.examples.append(.init(recordName: record.recordName, zoneName: record.zoneName, value: value))
    }
    byKey[key] = entry
  }

  /// In order.
  var entries: [Entry] { byKey.values.sorted { $0.key < $1.key } }
}
