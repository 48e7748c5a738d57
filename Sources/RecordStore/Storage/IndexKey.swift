internal import Records

/// The two blobs of an index entry.
///
/// `key` is the record's values under the index's keys as one `SortKey`, ascending, null first. `tie` is the
/// record's name and zone, for the order among equal keys: by code point, ascending in every direction.
enum IndexKey {
  /// Throws `serviceUnavailable` when a part is localized and the collator can't be had.
  static func key(of record: StoredRecord, parts: [IndexPart]) throws(RecordError) -> [UInt8] {
    var key: [UInt8] = []
    for part in parts { try SortKey.append(record.value(at: part.path), part.descriptor, to: &key) }
    return key
  }

  /// The keys of an index of elements: of each distinct one.
  static func elementKeys(of record: StoredRecord, part: IndexPart) throws(RecordError) -> Set<[UInt8]> {
    guard let value = record.value(at: part.path) else { return [] }
    var keys: Set<[UInt8]> = []
    for element in value.elements {
      var key: [UInt8] = []
      try SortKey.append(element, part.descriptor, to: &key)
      keys.insert(key)
    }
    return keys
  }

  /// The key of the value at a path, by code point. Paths through references find nothing.
  static func key(of record: StoredRecord, at path: FieldPath) -> [UInt8] {
    var key: [UInt8] = []
    SortKey.append(record.value(at: path), to: &key)
    return key
  }

  /// The keys, by code point, of each distinct element of the list at a path, or of the one value there.
  static func elementKeys(of record: StoredRecord, at path: FieldPath) -> Set<[UInt8]> {
    guard let value = record.value(at: path) else { return [] }
    return Set(value.elements.map(SortKey.key(of:)))
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

extension FieldValue {
  /// Of a list its elements, otherwise the value alone.
  fileprivate var elements: [FieldValue] {
    if case .list(let elements) = self { elements } else { [self] }
  }
}
