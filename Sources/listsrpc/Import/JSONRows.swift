import JSONRPC

/// The rows of a JSON file: an array's elements, or values one after another, usually one a line.
final class JSONRows: RowSource {
  private let file: InputFile
  private let path: JSONPath?
  /// The elements of an array that was read whole.
  private var elements: (all: [JSON], next: Int)?
  private var isBegun = false
  private var lineNumber = 0
  /// What follows on the line after the value that was taken from it.
  private var rest: ArraySlice<UInt8> = []
  /// The line on which the text that was taken last begins.
  private var lineOfText = 0

  /// - Parameter path: Where in the file's one value the array is; nil: the value itself.
  init(_ file: InputFile, path: JSONPath?) {
    self.file = file
    self.path = path
  }

  var progress: (done: Int, total: Int)? {
    if let elements { return (elements.next, elements.all.count) }
    return file.size.map { (file.position, $0) }
  }

  func next() throws(Failure) -> InputRow? {
    if !isBegun {
      isBegun = true
      try begin()
    }
    guard let (all, next) = elements else { return try nextLine() }
    guard next < all.count else { return nil }
    elements = (all, next + 1)
    return .value(all[next], place: "\(file.name), row \(next + 1)")
  }

  /// Reads the whole file when its rows are in an array.
  private func begin() throws(Failure) {
    try file.skipByteOrderMark()
    while let byte = try file.peekByte(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
      if byte == 0x0A { lineNumber += 1 }
      _ = try file.readByte()
    }
    let first = try file.peekByte()
    guard path != nil || first == UInt8(ascii: "[") else { return }
    let bytes = try file.readToEnd()
    let value: JSON
    do throws(JSONSyntaxError) {
      value = try JSON(parsing: bytes)
    } catch {
      throw .trouble("\(file.name) is not JSON: \(error.message)")
    }
    let list = try path?.value(in: value, file: file.name) ?? value
    guard list.kind == .array else {
      throw .trouble(
        "\(file.name) has no list at '\(path?.text ?? "")', but \(JSONPath.description(of: list))")
    }
    elements = (Array(list.elements), 0)
  }

  /// A value: of several on a line the next one, or one over as many lines as it takes until its brackets are
  /// closed.
  private func nextLine() throws(Failure) -> InputRow? {
    guard let text = try nextText() else { return nil }
    let place = "\(file.name), line \(lineOfText)"
    let value: JSON
    do throws(JSONSyntaxError) {
      value = try JSON(parsing: text)
    } catch {
      return .fault("not JSON: \(error.message)", place: place)
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
    lineOfText = lineNumber
    while true {
      if rest.isEmpty {
        guard let line = try file.readLine() else { break }
        lineNumber += 1
        rest = line[...]
        if text.isEmpty { lineOfText = lineNumber } else { text.append(0x0A) }
      }
      if text.isEmpty { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }
      let end = brackets.scan(rest)
      text += rest[..<end]
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
    for (index, byte) in zip(bytes.indices, bytes) {
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
    // A text never goes on over a line's end: the line is damaged, and the next one is read for itself.
    if isInString { self = BracketBalance() }
    return bytes.endIndex
  }
}
