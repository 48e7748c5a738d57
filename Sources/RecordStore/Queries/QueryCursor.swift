internal import JSONRPC
internal import Records

/// A position as clients get it: opaque text, good for the query that it was given out with.
///
/// The form, as bytes (numbers with the highest byte first): the query's fingerprint (8), the moment (8), the
/// number of finished sections (4) and their hashes (8 each), the length of the position's key (4), the key,
/// the tie; then the check sum of all that (8).
public struct QueryCursor {
  let position: QueryPosition
  /// What `now()` was on the first page, in milliseconds since 1970: it is the same on all pages.
  let moment: Int64
  /// What else must be known to go on, such as the sections that are done with.
  var marks: [UInt64] = []

  init(_ position: QueryPosition, moment: Int64) {
    self.position = position
    self.moment = moment
  }

  /// Throws `invalidArguments` for text that is no cursor, or one of another query.
  init(text: String, of query: Query) throws(RecordError) {
    guard let (fingerprint, cursor) = Self.read(text) else {
      throw RecordError(.invalidArguments, "the cursor is not one that a query gave out")
    }
    guard fingerprint == Self.fingerprint(of: query) else {
      throw RecordError(.invalidArguments, "the cursor is of another query")
    }
    self = cursor
  }

  /// The moment in the text of a cursor, which must be known before the query's predicate can be parsed;
  /// nil when the text is no cursor.
  public static func moment(in text: String) -> Int64? {
    read(text)?.cursor.moment
  }

  func text(for query: Query) -> String {
    var bytes: [UInt8] = []
    Self.append(Self.fingerprint(of: query), to: &bytes)
    Self.append(UInt64(bitPattern: moment), to: &bytes)
    Self.append(UInt32(marks.count), to: &bytes)
    for section in marks { Self.append(section, to: &bytes) }
    Self.append(UInt32(position.key.count), to: &bytes)
    bytes += position.key + position.tie
    // What was cut, damaged or added to must not pass for a position somewhere else.
    Self.append(Self.hash(bytes), to: &bytes)
    return Self.text(of: bytes)
  }

  private static func read(_ text: String) -> (fingerprint: UInt64, cursor: QueryCursor)? {
    guard let sealed = bytes(of: text), sealed.count >= 8 else { return nil }
    let bytes = sealed.dropLast(8)
    guard number(sealed.suffix(8)) == hash(bytes) else { return nil }
    var rest = bytes
    func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    guard let fingerprint = take(8), let moment = take(8),
      let sections = take(4).flatMap({ take(Int(number($0)) * 8) }),
      let key = take(4).flatMap({ take(Int(number($0))) })
    else { return nil }
    var cursor = QueryCursor(
      QueryPosition(key: Array(key), tie: Array(rest)), moment: Int64(bitPattern: number(moment)))
    cursor.marks = stride(from: sections.startIndex, to: sections.endIndex, by: 8).map {
      number(sections[$0..<$0 + 8])
    }
    return (number(fingerprint), cursor)
  }

  /// What makes two queries one, as far as their order and their matches go.
  private static func fingerprint(of query: Query) -> UInt64 { hash(identity(of: query)) }

  /// What tells results apart, as text that is the same for the same order and the same matches.
  static func identity(of query: Query) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    writer.int(2)
    if let type = query.recordType { writer.string(type) } else { writer.null() }
    if let zone = query.zoneName { writer.string(zone) } else { writer.null() }
    writer.string(query.predicate.text)
    for descriptor in query.sortDescriptors { descriptor.write(to: &writer) }
    if let sections = query.sections { writer.string(sections.nameKey) }
    writer.endArray()
    return writer.bytes
  }

  /// FNV-1a, so that it is the same in every run.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
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
