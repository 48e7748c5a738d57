import JSONRPC

/// JSON values one after another, usually one a line. After what is none the next line is read for itself.
final class JSONLines {
  private let file: InputFile
  private var lineNumber: Int
  /// What follows on the line after the value that was taken from it.
  private var rest: ArraySlice<UInt8> = []
  /// The line that was to be taken was passed over.
  private var isTooLong = false
  /// Where the text that was taken last begins.
  private var beginning = TextPosition()

  /// - Parameter line: The number of the line that is read next.
  init(_ file: InputFile, line: Int) {
    self.file = file
    lineNumber = line - 1
  }

  /// A value: of several on a line the next one, or one over as many lines as it takes until its brackets are
  /// closed.
  func next() throws(Failure) -> InputRow? {
    guard let text = try nextText() else { return nil }
    let place = "\(file.name), line \(beginning.line)"
    if isTooLong {
      isTooLong = false
      return .fault("a line of more than \(InputFile.maximumLineBytes) bytes", place: place)
    }
    let value: JSON
    do throws(JSONSyntaxError) {
      value = try JSON(parsing: text)
    } catch {
      return .fault(error.reason(in: text, at: beginning), place: place)
    }
    if let name = Self.onlyList(of: value), rest.isEmpty, try file.peekByte() == nil {
      throw .trouble("\(file.name) is one object, whose '\(name)' is a list: import that with --at '\(name)'")
    }
    return .value(value, place: place)
  }

  /// The text of the next value, or of what is none up to the line's end; nil at the end.
  private func nextText() throws(Failure) -> [UInt8]? {
    var text: [UInt8] = []
    var brackets = BracketBalance()
    while true {
      if rest.isEmpty {
        guard let line = try file.nextLine() else { break }
        lineNumber += 1
        guard case .bytes(let bytes) = line else {
          if text.isEmpty { beginning = TextPosition(line: lineNumber) }
          isTooLong = true
          return []
        }
        rest = bytes[...]
        if !text.isEmpty { text.append(0x0A) }
      }
      if text.isEmpty {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        beginning = TextPosition(line: lineNumber, column: rest.startIndex + 1)
      }
      let end = brackets.scan(rest)
      text += rest[..<end]
      guard text.count <= JSONTextReader.limit else {
        throw .trouble(
          "\(file.name), \(beginning): a value of more than \(JSONTextReader.limit) bytes; "
            + "if it is an object around a list of records, say with --at where that is")
      }
      rest = rest[end...].drop { $0 == 0x20 || $0 == 0x09 }
      if !text.isEmpty, !brackets.isOpen { break }
    }
    return text.isEmpty ? nil : text
  }

  /// The name of an object's only member when that is a list of objects.
  private static func onlyList(of value: JSON) -> String? {
    var members = value.members.makeIterator()
    guard let first = members.next(), members.next() == nil else { return nil }
    var elements = first.value.elements.makeIterator()
    return elements.next()?.kind == .object ? first.name : nil
  }
}

/// Whether brackets are open at the end of what was scanned.
struct BracketBalance {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  var isOpen: Bool { depth > 0 || isInString }

  /// Scans to behind the bracket that closes the outermost one, or to the end.
  ///
  /// - Returns: Where it ended.
  mutating func scan(_ bytes: ArraySlice<UInt8>) -> Int {
    let count = bytes.withUnsafeBufferPointer { scan($0) }
    // A text never goes on over a line's end: the line is damaged, and the next one is read for itself.
    if isInString { self = BracketBalance() }
    return bytes.startIndex + count
  }

  private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    for (index, byte) in bytes.enumerated() {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return index + 1 }
      default: break
      }
    }
    return bytes.count
  }
}
