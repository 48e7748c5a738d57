import JSONRPC

/// Bytes whose order, byte by byte as `memcmp` has it, is the order of records.
///
/// The settled order of values: null; booleans, false first; numbers, integers and doubles in one, compared
/// exactly; dates; text by code point of normalization form C; then bytes, locations, references, assets,
/// lists (by their elements) and objects. A key of several values is their keys one after another: none is
/// the beginning of another, so the first that differ decide.
///
/// Equal values, as predicates see them without folding, have equal keys. The other way round it holds too,
/// but for references: they are ordered by `recordName` alone.
///
/// The form, also kept in index tables; another form is another index:
///
///     null       00 or FF, as it comes first or last (not turned round when descending)
///     others     a tag, then what follows; descending, every bit of both turned round
///     boolean    10 00, 10 01
///     number     20, the largest double not above it: 8 bytes, then by how much it is above: 2 bytes
///     date       30, milliseconds: 8 bytes
///     text       40, UTF-8 with 00 as 00 FF, ended by 00 01
///     bytes      50, as text
///     location   60, latitude and longitude: 8 bytes each
///     reference  70, recordName as text
///     asset      80, checksum as text, size: 8 bytes
///     list       90, the keys of the elements (a null one: 02), 01
///     object     A0, by ascending name: the name as text, the key of the value (a null one: 02); 01
public enum SortKey {
  enum Tag {
    static let end: UInt8 = 0x01
    static let innerNull: UInt8 = 0x02
    static let boolean: UInt8 = 0x10
    static let number: UInt8 = 0x20
    static let date: UInt8 = 0x30
    static let text: UInt8 = 0x40
    static let bytes: UInt8 = 0x50
    static let location: UInt8 = 0x60
    static let reference: UInt8 = 0x70
    static let asset: UInt8 = 0x80
    static let list: UInt8 = 0x90
    static let object: UInt8 = 0xA0
  }

  /// The key of a record: of its values in the order of the descriptors, then of its `recordName`,
  /// ascending, so that no two records of a zone have the same. Paths through references go into the records
  /// that `resolver` finds; without one there is nothing behind them. Throws as ``append(_:_:to:)``.
  public static func key(
    of record: StoredRecord, by descriptors: [SortDescriptor], resolver: (any RecordResolver)? = nil
  ) throws(RecordError) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(64)
    let fields = descriptors.isEmpty ? nil : record.body["fields"]
    for descriptor in descriptors {
      try append(
        record.value(at: descriptor.path, inFields: fields, resolver: resolver), descriptor, to: &key)
    }
    append(.string(record.recordName), to: &key)
    return key
  }

  /// Appends the key of one value as `descriptor` orders it (its path is not looked at): of its distance, where
  /// the descriptor sorts by that. Throws `serviceUnavailable` when a localized order is asked for and ``Collator`` can't be had.
  public static func append(
    _ value: FieldValue?, _ descriptor: SortDescriptor, to key: inout [UInt8]
  ) throws(RecordError) {
    guard let value = descriptor.sorted(value) else {
      return key.append(descriptor.nullsComeFirst ? 0x00 : 0xFF)
    }
    let start = key.count
    if descriptor.collation == .localized {
      append(value, collator: try Collator.shared(), to: &key)
    } else {
      append(value, to: &key)
    }
    if !descriptor.ascending {
      for index in start..<key.count { key[index] = ~key[index] }
    }
  }

  /// Appends the key of one value, ascending, null first, by code point.
  public static func append(_ value: FieldValue?, to key: inout [UInt8]) {
    guard let value else { return key.append(0x00) }
    append(value, collator: nil, to: &key)
  }

  /// The ascending key of a value that is not null.
  public static func key(of value: FieldValue) -> [UInt8] {
    var key: [UInt8] = []
    append(value, to: &key)
    return key
  }

  /// What the ascending keys of all texts that begin with `text` begin with, and no others.
  public static func prefix(ofTextsBeginningWith text: String) -> [UInt8] {
    var key = [Tag.text]
    escape(Normalization.composed(text), to: &key)
    return key
  }

  /// The least key above all that begin with `prefix`; nil when there is none.
  public static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var end = Array(prefix[...last])
    end[last] += 1
    return end
  }
}

extension SortKey {
  private static func append(_ value: FieldValue, collator: Collator?, to key: inout [UInt8]) {
    switch value {
    case .boolean(let truth):
      key.append(Tag.boolean)
      key.append(truth ? 1 : 0)
    case .int64(let integer): append(integer, to: &key)
    case .double(let double): append(double, above: 0, to: &key)
    case .date(let moment):
      key.append(Tag.date)
      append(bits: UInt64(bitPattern: moment) ^ 1 << 63, to: &key)
    case .string(let text):
      key.append(Tag.text)
      append(bytes: collator.map { $0.sortKey(text) } ?? Normalization.composed(text), to: &key)
    case .bytes(let bytes):
      key.append(Tag.bytes)
      append(bytes: bytes, to: &key)
    case .location(let location):
      let place = location.normalized
      key.append(Tag.location)
      append(bits: ordered(place.latitude), to: &key)
      append(bits: ordered(place.longitude), to: &key)
    case .reference(let reference):
      key.append(Tag.reference)
      append(bytes: Array(reference.recordName.utf8), to: &key)
    case .asset(let asset):
      key.append(Tag.asset)
      append(bytes: Array(asset.checksum.utf8), to: &key)
      append(bits: UInt64(bitPattern: asset.size) ^ 1 << 63, to: &key)
    case .list(let elements):
      key.append(Tag.list)
      for element in elements { append(element, collator: collator, to: &key) }
      key.append(Tag.end)
    case .object(let json): append(object: json, collator: collator, to: &key)
    }
  }

  // MARK: Numbers

  /// An integer that is no double lies above the next lower double by less than the distance between two
  /// doubles, at most 1024 in the range of `Int64`. So the pair orders integers among doubles exactly.
  private static func append(_ integer: Int64, to key: inout [UInt8]) {
    var below = Double(integer)
    // 2^63, which Int64.max is rounded to, is no Int64 itself.
    if below >= 0x1p63 || Int64(below) > integer { below = below.nextDown }
    append(below, above: UInt16(integer - Int64(below)), to: &key)
  }

  private static func append(_ double: Double, above: UInt16, to key: inout [UInt8]) {
    key.append(Tag.number)
    append(bits: ordered(double), to: &key)
    key.append(UInt8(above >> 8))
    key.append(UInt8(truncatingIfNeeded: above))
  }

  /// Bits that are ordered as the doubles are; one for both zeros.
  private static func ordered(_ double: Double) -> UInt64 {
    let bits = (double + 0).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  private static func append(bits: UInt64, to key: inout [UInt8]) {
    withUnsafeBytes(of: bits.bigEndian) { key.append(contentsOf: $0) }
  }

  // MARK: Text and objects

  private static func append(bytes: [UInt8], to key: inout [UInt8]) {
    escape(bytes, to: &key)
    key.append(0x00)
    key.append(0x01)
  }

  private static func escape(_ bytes: [UInt8], to key: inout [UInt8]) {
    guard bytes.contains(0) else { return key.append(contentsOf: bytes) }
    for byte in bytes {
      key.append(byte)
      if byte == 0 { key.append(0xFF) }
    }
  }

  private static func append(object json: JSON, collator: Collator?, to key: inout [UInt8]) {
    key.append(Tag.object)
    var members = json.members.map { (name: Array($0.name.utf8), value: $0.value) }
    members.sort { $0.name.lexicographicallyPrecedes($1.name) }
    for member in members {
      append(bytes: member.name, to: &key)
      append(inner: member.value, collator: collator, to: &key)
    }
    key.append(Tag.end)
  }

  /// A value inside an object, where lists may hold null and other lists.
  private static func append(inner json: JSON, collator: Collator?, to key: inout [UInt8]) {
    if json.kind == .array {
      key.append(Tag.list)
      for element in json.elements { append(inner: element, collator: collator, to: &key) }
      key.append(Tag.end)
    } else if let value = FieldValue(stored: json) {
      append(value, collator: collator, to: &key)
    } else {
      key.append(Tag.innerNull)
    }
  }
}

extension SortDescriptor {
  /// What a value is sorted by: itself, or its distance.
  fileprivate func sorted(_ value: FieldValue?) -> FieldValue? {
    guard let relativeLocation else { return value }
    guard case .location(let location)? = value else { return nil }
    return .double(location.distance(to: relativeLocation))
  }
}
