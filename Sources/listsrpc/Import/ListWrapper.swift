import JSONRPC

/// The object that services put around the list of records: `{"records":[…]}` of CloudKit, `{"results":[…]}` of Parse.
enum ListWrapper {
  static let listNames = ["records", "results"]
  /// What may stand before the list in such an object.
  private static let otherNames = [
    "continuationMarker", "syncToken", "moreComing", "zoneID", "count", "className", "resultsLimit",
  ]

  enum Finding: Equatable {
    /// The text must be longer to tell.
    case undecided
    /// It is a row by itself, or something else.
    case none
    case list(name: String)
  }

  /// What the text, which begins with `{`, is the beginning of.
  static func find(in text: ArraySlice<UInt8>) -> Finding {
    text.withUnsafeBufferPointer { bytes in
      var index = 1
      while true {
        guard let name = string(in: bytes, &index) else { return undecided(bytes, index) }
        guard skip(":", in: bytes, &index), let first = peek(in: bytes, &index) else {
          return undecided(bytes, index)
        }
        if listNames.contains(name), first == UInt8(ascii: "[") {
          index += 1
          guard let element = peek(in: bytes, &index) else { return .undecided }
          return [UInt8(ascii: "{"), UInt8(ascii: "]")].contains(element) ? .list(name: name) : .none
        }
        guard otherNames.contains(name) else { return .none }
        var scanner = JSONValueScanner()
        let (count, outcome) = scanner.scan(UnsafeBufferPointer(rebasing: bytes[index...]))
        index += count
        guard outcome == .complete, skip(",", in: bytes, &index) else { return undecided(bytes, index) }
      }
    }
  }

  private static func undecided(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Finding {
    index >= bytes.count ? .undecided : .none
  }

  private static func peek(in bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt8? {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    return index < bytes.count ? bytes[index] : nil
  }

  private static func skip(
    _ sign: Unicode.Scalar, in bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int
  ) -> Bool {
    guard peek(in: bytes, &index) == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }

  /// Nil, and where it stopped, when there is none or it is not all there.
  private static func string(in bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> String? {
    guard peek(in: bytes, &index) == UInt8(ascii: "\"") else { return nil }
    var scanner = JSONValueScanner()
    let (count, outcome) = scanner.scan(UnsafeBufferPointer(rebasing: bytes[index...]))
    guard outcome == .complete else {
      index = outcome == .unfinished ? bytes.count : index
      return nil
    }
    defer { index += count }
    return (try? JSON(parsing: Array(bytes[index..<index + count])))?.stringValue
  }
}
