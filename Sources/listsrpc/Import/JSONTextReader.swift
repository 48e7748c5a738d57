import JSONRPC

/// Reads the JSON text of a file value by value, so that a file may be larger than the memory.
final class JSONTextReader {
  let file: InputFile
  /// Where the next byte stands.
  private(set) var position: TextPosition
  /// The most bytes of one value that is kept.
  static let limit = 64 << 20

  init(_ file: InputFile, at position: TextPosition = TextPosition()) {
    self.file = file
    self.position = position
  }

  /// The next byte that is no white space, which stays the next one; nil at the end.
  func peek() throws(Failure) -> UInt8? {
    while true {
      var next: UInt8?
      var place = position
      let isThere = try file.take { bytes in
        let count = bytes.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
        place.advance(over: UnsafeBufferPointer(rebasing: bytes[..<count]))
        if count < bytes.count { next = bytes[count] }
        return count
      }
      position = place
      guard isThere else { return nil }
      if let next { return next }
    }
  }

  /// Passes over the sign if it is what comes next.
  func skip(_ sign: Unicode.Scalar) throws(Failure) -> Bool {
    guard try peek() == UInt8(ascii: sign) else { return false }
    _ = try file.readByte()
    position.column += 1
    return true
  }

  /// The text of the next value.
  func readValue() throws(Failure) -> [UInt8] {
    var text: [UInt8] = []
    try scanValue { bytes throws(Failure) in
      guard text.count + bytes.count <= Self.limit else {
        throw .trouble("\(self.file.name), \(self.position): a value of more than \(Self.limit) bytes")
      }
      text.append(contentsOf: bytes)
    }
    return text
  }

  /// Passes over the next value, however long.
  func skipValue() throws(Failure) { try scanValue { _ throws(Failure) in } }

  /// The next value as a member's name.
  func readName() throws(Failure) -> String {
    let place = position
    guard try peek() == UInt8(ascii: "\""), let name = (try? JSON(parsing: readValue()))?.stringValue,
      try skip(":")
    else { throw fault("expected a name in quotes and ':'", at: place) }
    return name
  }

  func fault(_ reason: String, at place: TextPosition? = nil) -> Failure {
    .trouble("\(file.name), \(place ?? position): \(reason)")
  }

  private func scanValue(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    guard let first = try peek(), !",:]}".utf8.contains(first) else { throw fault("expected a value") }
    let start = position
    var scanner = JSONValueScanner()
    var outcome = JSONValueScanner.Outcome.unfinished
    var failure: Failure?
    while outcome == .unfinished {
      var place = position
      let isThere = try file.take { bytes in
        let (count, result) = scanner.scan(bytes)
        outcome = result
        let part = UnsafeBufferPointer(rebasing: bytes[..<count])
        place.advance(over: part)
        do throws(Failure) { try body(part) } catch { failure = error }
        return count
      }
      if let failure { throw failure }
      position = place
      // Numbers and words end with the file.
      guard isThere else { return }
      if outcome == .openText { throw fault("a text that begins at or behind \(start) is not closed") }
    }
  }
}
