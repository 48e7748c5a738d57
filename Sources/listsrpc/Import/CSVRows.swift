import JSONRPC

/// The rows of a CSV file (RFC 4180), whose first line names the fields. Every value is text; an empty one
/// is missing.
final class CSVRows: RowSource {
  private let file: InputFile
  private let separator: UInt8
  private var names: [String]?
  private var lineNumber = 1
  /// The most bytes of one row.
  private static let limit = 64 << 20

  init(_ file: InputFile, separator: UInt8) {
    self.file = file
    self.separator = separator
  }

  var progress: (done: Int, total: Int)? { file.size.map { (file.position, $0) } }

  func next() throws(Failure) -> InputRow? {
    if names == nil { names = try readNames() }
    let names = names ?? []
    while true {
      let place = "\(file.name), line \(lineNumber)"
      guard let row = try readRow() else { return nil }
      switch row {
      case .failure(let fault): return .fault(fault.reason, place: place)
      case .success(let values):
        if values == [""] { continue }
        guard values.count == names.count else {
          return .fault("\(values.count) values under \(names.count) names", place: place)
        }
        let members = zip(names, values).filter { !$0.1.isEmpty }.map { ($0.0, JSONNode.string($0.1)) }
        return .value(JSONNode.object(members).json, place: place)
      }
    }
  }

  private func readNames() throws(Failure) -> [String] {
    try file.skipByteOrderMark()
    guard let row = try readRow() else { return [] }
    guard case .success(let names) = row else { throw .trouble("\(file.name): the first line can't be read") }
    if let repeated = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw .trouble("\(file.name): the first line names '\(repeated)' twice")
    }
    guard !names.contains("") else { throw .trouble("\(file.name): the first line has an empty name") }
    return names
  }

  struct Fault: Error {
    let reason: String
  }

  /// One row; nil at the end. After a fault the reading goes on at the next line.
  private func readRow() throws(Failure) -> Result<[String], Fault>? {
    guard try file.peekByte() != nil else { return nil }
    var values: [String] = []
    var fault: Fault?
    var size = 0
    while true {
      let (bytes, end, problem) = try readValue()
      size += bytes.count
      if size > Self.limit { throw .trouble("\(file.name) has a row of more than \(Self.limit) bytes") }
      if let problem { fault = fault ?? problem }
      if let text = String(validating: bytes, as: UTF8.self) {
        values.append(text)
      } else {
        fault = fault ?? Fault(reason: "not UTF-8")
      }
      if end == .row { return fault.map { .failure($0) } ?? .success(values) }
    }
  }

  private enum End { case value, row }

  /// One value and what ends it.
  private func readValue() throws(Failure) -> ([UInt8], End, Fault?) {
    if try file.peekByte() == UInt8(ascii: "\"") { return try readQuotedValue() }
    let (bytes, end) = try readUnquoted()
    return (bytes, end, nil)
  }

  private func readQuotedValue() throws(Failure) -> ([UInt8], End, Fault?) {
    _ = try file.readByte()
    var bytes: [UInt8] = []
    while let byte = try file.readByte() {
      if bytes.count > Self.limit {
        throw .trouble("\(file.name) has a value of more than \(Self.limit) bytes")
      }
      guard byte == UInt8(ascii: "\"") else {
        if byte == 0x0A { lineNumber += 1 }
        bytes.append(byte)
        continue
      }
      if try file.peekByte() == UInt8(ascii: "\"") {
        _ = try file.readByte()
        bytes.append(byte)
        continue
      }
      // Nothing, in a well-formed file.
      let (rest, end) = try readUnquoted()
      return (bytes, end, rest.isEmpty ? nil : Fault(reason: "text after a closing quote"))
    }
    return (bytes, .row, Fault(reason: "a quote that is never closed"))
  }

  /// What stands up to the next separator or the line's end.
  private func readUnquoted() throws(Failure) -> ([UInt8], End) {
    var bytes: [UInt8] = []
    while let byte = try file.readByte() {
      if byte == separator { return (bytes, .value) }
      if byte == 0x0A {
        lineNumber += 1
        if bytes.last == 0x0D { bytes.removeLast() }
        return (bytes, .row)
      }
      bytes.append(byte)
      if bytes.count > Self.limit {
        throw .trouble("\(file.name) has a value of more than \(Self.limit) bytes")
      }
    }
    return (bytes, .row)
  }
}
