internal import JSONRPC
internal import Records

/// The two blobs of an index entry.
///
/// `key` is the record's values under the index's keys as one `SortKey`, ascending, null first. `tie` is the
/// record's name and zone, for the order among equal keys: by code point, ascending in every direction.
enum IndexKey {
  static func key(of record: StoredRecord, paths: [FieldPath]) -> [UInt8] {
    var key: [UInt8] = []
    for path in paths { SortKey.append(record.value(at: path), to: &key) }
    return key
  }

  /// The name, a zero byte (names have none) and the zone.
  static func tie(recordName: String, zoneName: String) -> [UInt8] {
    var tie: [UInt8] = []
    tie.reserveCapacity(recordName.utf8.count + 1 + zoneName.utf8.count)
    tie.append(contentsOf: recordName.utf8)
    tie.append(0)
    tie.append(contentsOf: zoneName.utf8)
    return tie
  }

  static func tie(of record: StoredRecord) -> [UInt8] {
    tie(recordName: record.recordName, zoneName: record.zoneName)
  }
}

/// An index of a record type.
struct DeclaredIndex: Sendable {
  let id: Int64
  /// Empty for the index that every type has: by recordName.
  let paths: [FieldPath]

  init(id: Int64, paths: [FieldPath]) {
    self.id = id
    self.paths = paths
  }

  /// From the text that the file keeps; nil when it can't be understood.
  init?(id: Int64, keys: String) {
    guard let json = try? JSON(parsing: keys) else { return nil }
    var paths: [FieldPath] = []
    for key in json.elements {
      guard let path = key.stringValue.flatMap({ FieldPath($0) }) else { return nil }
      paths.append(path)
    }
    self.init(id: id, paths: paths)
  }

  /// As the file keeps it.
  static func keys(_ paths: [FieldPath]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for path in paths { writer.string(SortDescriptor(path).key) }
    writer.endArray()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// In words, for a plan.
  var description: String {
    paths.isEmpty ? "recordName" : paths.map { SortDescriptor($0).key }.joined(separator: ", ")
  }
}
