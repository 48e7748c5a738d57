internal import JSONRPC
internal import Records

/// Where a record stands in a query's order.
struct QueryPosition: Comparable {
  /// By the sort descriptors, as one `SortKey`.
  let key: [UInt8]
  /// Among equal keys: by name and zone (`IndexKey`).
  let tie: [UInt8]

  static func < (left: QueryPosition, right: QueryPosition) -> Bool {
    if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
    return left.tie.lexicographicallyPrecedes(right.tie)
  }
}

/// The order of a query's result: the descriptors that can make a difference, then recordName and zoneName.
struct QueryOrder {
  let descriptors: [SortDescriptor]

  /// Drops what is equal in all that match, and all behind `recordName`, which decides.
  init(_ query: Query, constant: Set<FieldPath>) {
    var descriptors: [SortDescriptor] = []
    for descriptor in query.sortDescriptors where !constant.contains(descriptor.path) {
      if descriptor.path.systemKey == .recordName, descriptor.path.components.count == 1, descriptor.ascending
      {
        break
      }
      descriptors.append(descriptor)
    }
    self.descriptors = descriptors
  }

  func position(of record: StoredRecord) throws(RecordError) -> QueryPosition {
    var key: [UInt8] = []
    for descriptor in descriptors {
      try SortKey.append(record.value(at: descriptor.path), descriptor, to: &key)
    }
    return QueryPosition(key: key, tie: IndexKey.tie(of: record))
  }
}

/// A position as clients get it: opaque text, good for the query that it was given out with.
struct QueryCursor {
  let position: QueryPosition

  init(_ position: QueryPosition) {
    self.position = position
  }

  /// Throws `invalidArguments` for text that is no cursor, or one of another query.
  init(text: String, of query: Query) throws(RecordError) {
    let sealed = Self.bytes(of: text) ?? []
    let bytes = Array(sealed.dropLast(8))
    guard Self.number(sealed.suffix(8)) == Self.hash(bytes), bytes.count >= 12,
      let length = Int(exactly: Self.number(bytes[8..<12])), bytes.count >= 12 + length
    else { throw RecordError(.invalidArguments, "the cursor is not one that a query gave out") }
    guard Self.number(bytes[..<8]) == Self.fingerprint(of: query) else {
      throw RecordError(.invalidArguments, "the cursor is of another query")
    }
    position = QueryPosition(key: Array(bytes[12..<12 + length]), tie: Array(bytes[(12 + length)...]))
  }

  func text(for query: Query) -> String {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: Self.fingerprint(of: query).bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: UInt32(position.key.count).bigEndian) { bytes.append(contentsOf: $0) }
    bytes += position.key + position.tie
    // What was cut, damaged or added to must not pass for a position somewhere else.
    withUnsafeBytes(of: Self.hash(bytes).bigEndian) { bytes.append(contentsOf: $0) }
    return Self.text(of: bytes)
  }

  /// What makes two queries one, as far as their order and their matches go.
  private static func fingerprint(of query: Query) -> UInt64 {
    var writer = JSONWriter()
    writer.beginArray()
    writer.int(1)
    if let type = query.recordType { writer.string(type) } else { writer.null() }
    if let zone = query.zoneName { writer.string(zone) } else { writer.null() }
    writer.string(query.predicate.text)
    for descriptor in query.sortDescriptors { descriptor.write(to: &writer) }
    writer.endArray()
    return hash(writer.bytes)
  }

  /// FNV-1a, so that it is the same in every run.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Text: two letters for a byte, a to p

  private static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (place, byte) in bytes.enumerated() {
        text.initializeElement(at: place * 2, to: UInt8(ascii: "a") + byte >> 4)
        text.initializeElement(at: place * 2 + 1, to: UInt8(ascii: "a") + byte & 0xF)
      }
      return bytes.count * 2
    }
  }

  private static func bytes(of text: String) -> [UInt8]? {
    let letters = Array(text.utf8)
    guard letters.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(letters.count / 2)
    for place in stride(from: 0, to: letters.count, by: 2) {
      let high = letters[place] &- UInt8(ascii: "a")
      let low = letters[place + 1] &- UInt8(ascii: "a")
      guard high < 16, low < 16 else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
