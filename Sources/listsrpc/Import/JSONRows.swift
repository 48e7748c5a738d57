import JSONRPC

/// The rows of a JSON file: a list's elements, or values one after another, usually one a line.
final class JSONRows: RowSource {
  private enum Mode {
    case list(JSONListReader, number: Int, isWrapped: Bool)
    case lines(JSONLines)
    case end
  }

  private let file: InputFile
  private let path: JSONPath?
  private let reader: JSONTextReader
  private var mode: Mode?
  /// What stood before the list in the object around it.
  private(set) var heading: [(name: String, value: JSON)] = []
  private(set) var notes: [String] = []

  /// - Parameter path: Where in the file's one value the list is; nil: the value itself.
  init(_ file: InputFile, path: JSONPath?) {
    self.file = file
    self.path = path
    reader = JSONTextReader(file)
  }

  var isWaiting: Bool { file.isWaiting }
  var progress: (done: Int, total: Int)? { file.size.map { (file.position, $0) } }

  func next() throws(Failure) -> InputRow? {
    while true {
      let present: Mode
      if let mode { present = mode } else { present = try begin() }
      switch present {
      case .end: return nil
      case .lines(let lines): return try lines.next()
      case .list(let list, let number, let isWrapped):
        if let element = try list.next() {
          // What comes behind a list that can't be read is not known.
          mode = list.isAtEnd ? .end : .list(list, number: number + 1, isWrapped: isWrapped)
          return row(element, number)
        }
        mode = isWrapped ? try endWrapper() : .end
      }
    }
  }

  /// Sees what kind of file it is.
  private func begin() throws(Failure) -> Mode {
    try file.skipByteOrderMark()
    let mode = try beginList(path: path)
    self.mode = mode
    return mode
  }

  private func beginList(path: JSONPath?) throws(Failure) -> Mode {
    let first = try reader.peek()
    let wrapped = path == nil && first == UInt8(ascii: "{") ? try wrappedList() : nil
    guard path != nil || wrapped != nil || first == UInt8(ascii: "[") else {
      return .lines(JSONLines(file, line: reader.position.line))
    }
    let list = try JSONListReader(reader, path: path ?? wrapped.map(JSONPath.init))
    heading = list.heading
    return .list(list, number: 1, isWrapped: wrapped != nil)
  }

  /// The name of the list in the object that comes next, if that is a page of a service's result.
  private func wrappedList() throws(Failure) -> String? {
    while true {
      switch ListWrapper.find(in: file.buffered) {
      case .none: return nil
      case .list(let name): return name
      case .undecided:
        guard file.buffered.count < 1 << 20, try file.fill() else { return nil }
      }
    }
  }

  /// Reads what stands behind the list, and looks whether another page follows.
  private func endWrapper() throws(Failure) -> Mode {
    while try reader.skip(",") {
      let name = try reader.readName()
      guard name == "moreComing" || name == "continuationMarker" else {
        try reader.skipValue()
        continue
      }
      note(name, try? JSON(parsing: reader.readValue()))
    }
    for (name, value) in heading { note(name, value) }
    guard try reader.skip("}") else { throw reader.fault("expected ',' or '}' behind the list") }
    return try reader.peek() == nil ? .end : beginList(path: nil)
  }

  private func note(_ name: String, _ value: JSON?) {
    guard name == "continuationMarker" ? value?.kind == .string : value?.boolValue == true else { return }
    let text = "\(file.name) says ('\(name)') that there is more where it came from"
    if !notes.contains(text) { notes.append(text) }
  }

  private func row(_ element: JSONListReader.Element, _ number: Int) -> InputRow {
    switch element {
    case .fault(let reason, let place):
      return .fault("\(place): \(reason)", place: "\(file.name), row \(number)")
    case .value(let text, let place):
      let name = "\(file.name), line \(place.line), row \(number)"
      do throws(JSONSyntaxError) {
        return .value(try JSON(parsing: text), place: name)
      } catch {
        return .fault(error.reason(in: text, at: place), place: name)
      }
    }
  }
}

extension JSONSyntaxError {
  /// The reason for a person, with line and column, of a text that begins at `place`.
  func reason(in text: [UInt8], at place: TextPosition) -> String {
    "not JSON, \(place.advanced(over: text[..<min(offset, text.count)])): \(explanation)"
  }
}
