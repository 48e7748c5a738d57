import JSONRPC

/// The rows of a JSON file: an array's elements, or values one after another, usually one a line.
final class JSONRows: RowSource {
  private let file: InputFile
  private let path: JSONPath?
  /// The elements of an array that was read whole.
  private var elements: (all: [JSON], next: Int)?
  private var isBegun = false
  private var lineNumber = 0

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

  /// A value on a line, or on as many as it takes until its brackets are closed.
  private func nextLine() throws(Failure) -> InputRow? {
    var text: [UInt8] = []
    var brackets = BracketBalance()
    var firstLine = lineNumber + 1
    while let line = try file.readLine() {
      lineNumber += 1
      if text.isEmpty {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
        firstLine = lineNumber
      } else {
        text.append(0x0A)
      }
      text.append(contentsOf: line)
      brackets.scan(line)
      if !brackets.isOpen { break }
    }
    guard !text.isEmpty else { return nil }
    let place = "\(file.name), line \(firstLine)"
    let value: JSON
    do throws(JSONSyntaxError) {
      value = try JSON(parsing: text)
    } catch {
      return .fault("not JSON: \(error.message)", place: place)
    }
    if let name = Self.onlyList(of: value), try file.peekByte() == nil {
      throw .trouble("\(file.name) is one object, whose '\(name)' is a list: import that with --at '\(name)'")
    }
    return .value(value, place: place)
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

  mutating func scan(_ bytes: [UInt8]) {
    for byte in bytes {
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
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    // A text never goes on over a line's end: the line is damaged, and the next one is read for itself.
    if isInString { self = BracketBalance() }
  }
}
