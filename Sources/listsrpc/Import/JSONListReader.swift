import JSONRPC

/// The elements of a list inside a JSON file, one after the other: the whole file, or what stands at a place in it.
final class JSONListReader {
  /// What went before the list in the object that holds it, as far as it is short.
  private(set) var heading: [(name: String, value: JSON)] = []
  private let reader: JSONTextReader
  private var isFirst = true
  private(set) var isAtEnd = false

  /// Goes down to the list.
  ///
  /// - Parameter path: The names of members, and numbers of elements, that lead to it.
  /// - Throws: `Failure.trouble` that says what is there instead.
  init(_ reader: JSONTextReader, path: JSONPath?) throws(Failure) {
    self.reader = reader
    if let path { try descend(path) }
    guard try reader.skip("[") else {
      throw .trouble("\(reader.file.name) has no list at '\(path?.text ?? "")', but \(try description())")
    }
  }

  enum Element {
    case value([UInt8], at: TextPosition)
    case fault(String, at: TextPosition)
  }

  /// The next element; nil at the end. Behind a fault is the end.
  func next() throws(Failure) -> Element? {
    guard !isAtEnd else { return nil }
    if try reader.skip("]") {
      isAtEnd = true
      return nil
    }
    var hasComma = isFirst
    if !isFirst { hasComma = try reader.skip(",") }
    isFirst = false
    guard let byte = try reader.peek() else { return end("the file ends before its list does") }
    guard hasComma, !",:]}".utf8.contains(byte) else {
      return end(
        "expected \(hasComma ? "a value" : "',' or ']'"); what stands from here on is not read")
    }
    let place = reader.position
    do throws(Failure) {
      return .value(try reader.readValue(), at: place)
    } catch .trouble(let message) {
      return end("\(message); what stands from here on is not read")
    }
  }

  private func end(_ reason: String) -> Element {
    isAtEnd = true
    return .fault(reason, at: reader.position)
  }

  // MARK: Going down

  private func descend(_ path: JSONPath) throws(Failure) {
    var names = path.names
    // A member may have a dot in its name: the whole text is looked for first.
    var whole: String? = path.text.hasPrefix("/") ? nil : path.text
    while !names.isEmpty {
      let isWhole = try step(names[0], whole: whole, path)
      whole = nil
      if isWhole { return }
      names.removeFirst()
    }
  }

  /// Goes into the member or element of that name. True when the member has the path's whole text as its name.
  private func step(_ name: String, whole: String?, _ path: JSONPath) throws(Failure) -> Bool {
    func missing(_ what: String) -> Failure {
      .trouble("\(reader.file.name) has no '\(name)' at '\(path.text)', but \(what)")
    }
    if try reader.skip("[") {
      guard var index = Int(name), index >= 0 else { throw missing("a list") }
      while try reader.peek() != UInt8(ascii: "]") {
        if index == 0 { return false }
        try reader.skipValue()
        index -= 1
        if try !reader.skip(",") { break }
      }
      throw missing("a list that ends before")
    }
    guard try reader.skip("{") else { throw missing(try description()) }
    heading = []
    var seen: [String] = []
    while try reader.peek() == UInt8(ascii: "\"") {
      let member = try reader.readName()
      if member == whole { return true }
      if member == name { return false }
      if seen.count < 8 { seen.append(member) }
      // Lists and objects may be long.
      if let byte = try reader.peek(), byte != UInt8(ascii: "["), byte != UInt8(ascii: "{"),
        heading.count < 64,
        let value = try? JSON(parsing: reader.readValue())
      {
        heading.append((member, value))
      } else {
        try reader.skipValue()
      }
      if try !reader.skip(",") { break }
    }
    throw missing(JSONPath.description(ofObjectWith: seen))
  }

  /// What comes next, for a person.
  private func description() throws(Failure) -> String {
    guard let byte = try reader.peek() else { return "nothing" }
    guard byte != UInt8(ascii: "{") else {
      _ = try reader.skip("{")
      var seen: [String] = []
      while seen.count < 8, try reader.peek() == UInt8(ascii: "\"") {
        seen.append(try reader.readName())
        try reader.skipValue()
        if try !reader.skip(",") { break }
      }
      return JSONPath.description(ofObjectWith: seen)
    }
    return JSONPath.description(of: JSON(unchecked: [byte]))
  }
}
