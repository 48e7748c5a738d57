/// A place in a text, to name it to a person.
struct TextPosition: Equatable {
  /// From 1.
  var line = 1
  /// From 1, in code points.
  var column = 1

  /// Moves behind the bytes.
  mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
    for byte in bytes {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }

  func advanced(over bytes: some Collection<UInt8>) -> TextPosition {
    var result = self
    let isDone: Void? = bytes.withContiguousStorageIfAvailable { result.advance(over: $0) }
    if isDone == nil { Array(bytes).withUnsafeBufferPointer { result.advance(over: $0) } }
    return result
  }
}

extension TextPosition: CustomStringConvertible {
  var description: String { "line \(line), column \(column)" }
}
