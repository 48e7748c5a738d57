/// A well-formed JSON text: shared bytes, and the range of one value in them.
///
/// Nothing is built while parsing: a value is read from its text when it is asked for, so what nobody
/// asks for costs nothing, and what is passed on is passed on as it came. Copies share the bytes; a
/// value taken out of a text keeps the whole text alive.
///
/// The dialect is RFC 8259 with its open questions settled: a text is any value; strings are valid UTF-8
/// and escaped surrogates come in pairs; no byte order mark; numbers of any size and precision are kept
/// as their digits; member names are told apart by their bytes, and a repeated name is not a fault here.
public struct JSON: Sendable {
  public enum Kind: Sendable, Hashable {
    case null, boolean, number, string, array, object
  }

  /// Levels of brackets that are accepted unless told otherwise.
  public static let maximumDepth = 512

  let storage: [UInt8]
  let start: Int
  let end: Int

  /// The value of `storage` between two offsets; presumed well formed, without space around it.
  init(storage: [UInt8], start: Int, end: Int) {
    self.storage = storage
    self.start = start
    self.end = end
  }

  /// A part of this value, by its place in ``storage``.
  func value(at range: Range<Int>) -> JSON {
    JSON(storage: storage, start: range.lowerBound, end: range.upperBound)
  }

  /// Checks that `bytes` are one JSON value, with white space around it at most.
  public init(parsing bytes: [UInt8], maximumDepth: Int = JSON.maximumDepth) throws(JSONSyntaxError) {
    var scanner = JSONScanner(maximumDepth: maximumDepth)
    let range = try scanner.scan(bytes.span)
    self.init(storage: bytes, start: range.lowerBound, end: range.upperBound)
  }

  /// Checks that `text` is one JSON value, with white space around it at most.
  public init(parsing text: String) throws(JSONSyntaxError) {
    try self.init(parsing: Array(text.utf8))
  }

  /// Takes `bytes` for one well-formed value without checking, as when it was checked before it was
  /// stored. If they are not, values are wrong or missing, but nothing traps.
  public init(unchecked bytes: [UInt8]) {
    let start = bytes.span.endOfSpace(from: 0)
    var end = bytes.count
    while end > start, Byte.isSpace(bytes[end - 1]) { end -= 1 }
    self.init(storage: bytes, start: start, end: end)
  }

  /// The exact text of the value.
  public var bytes: ArraySlice<UInt8> { storage[start..<end] }

  /// The exact text of the value.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public var kind: Kind {
    guard start < end else { return .null }
    switch storage[start] {
    case Byte.openBrace: return .object
    case Byte.openBracket: return .array
    case Byte.quote: return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case Byte.minus, Byte.zero...Byte.nine: return .number
    default: return .null
    }
  }

  public var isNull: Bool { kind == .null }

  /// The value of `true` and `false`; nil for anything else, numbers included.
  public var boolValue: Bool? {
    guard start < end else { return nil }
    switch storage[start] {
    case UInt8(ascii: "t"): return true
    case UInt8(ascii: "f"): return false
    default: return nil
    }
  }
}

/// The same text, byte for byte: `1`, `1.0` and `1e0` differ, and so do `{"a":1,"b":2}` and
/// `{"b":2,"a":1}`.
extension JSON: Hashable {
  public static func == (left: JSON, right: JSON) -> Bool {
    left.bytes == right.bytes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytes)
  }
}

extension JSON: CustomStringConvertible {
  public var description: String { text }
}
