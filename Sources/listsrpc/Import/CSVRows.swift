import JSONRPC

/// The rows of a CSV file (RFC 4180), whose first line names the fields. Every value is text; an empty one is missing,
/// unless it stands in quotes.
final class CSVRows: RowSource {
  private let file: InputFile
  private var separator: UInt8
  private var names: [String]?
  private var lineNumber = 1
  /// The most bytes of one row.
  private static let limit = 64 << 20

  init(_ file: InputFile, separator: UInt8) {
    self.file = file
    self.separator = separator
  }

  var isWaiting: Bool { file.isWaiting }
  var progress: (done: Int, total: Int)? { file.size.map { (file.position, $0) } }

  func next() throws(Failure) -> InputRow? {
    if names == nil { names = try readNames() }
    let names = names ?? []
    while true {
      let place = "\(file.name), line \(lineNumber)"
      guard let row = try readRow() else { return nil }
      if let fault = row.fault { return .fault(fault, place: place) }
      if row.values.count == 1, row.values[0].isMissing { continue }
      guard row.values.count == names.count else {
        return .fault("\(row.values.count) values under \(names.count) names", place: place)
      }
      let members = zip(names, row.values).filter { !$0.1.isMissing }.map {
        ($0.0, JSONNode.string($0.1.text))
      }
      return .value(JSONNode.object(members).json, place: place)
    }
  }

  private func readNames() throws(Failure) -> [String] {
    try file.skipByteOrderMark()
    guard let row = try readRow() else { return [] }
    if let fault = row.fault { throw .trouble("\(file.name): the first line can't be read: \(fault)") }
    var names = row.values.map(\.text)
    // Spreadsheets put other separators where the comma is for decimals.
    if names.count == 1,
      let other = [UInt8(ascii: ";"), UInt8(ascii: "\t")].first(where: names[0].utf8.contains)
    {
      separator = other
      names = names[0].utf8.split(separator: other, omittingEmptySubsequences: false).map { String($0) ?? "" }
    }
    if let repeated = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw .trouble("\(file.name): the first line names '\(repeated)' twice")
    }
    guard !names.contains("") else { throw .trouble("\(file.name): the first line has an empty name") }
    return names
  }

  // MARK: Values

  private struct Value {
    var text: String
    var isMissing: Bool
  }

  private struct Row {
    var values: [Value] = []
    /// Why the row can't be read; reading goes on behind it.
    var fault: String?
  }

  private enum End { case value, row, file }

  /// One row; nil at the end.
  private func readRow() throws(Failure) -> Row? {
    guard try file.peekByte() != nil else { return nil }
    var row = Row()
    var size = 0
    while true {
      var bytes: [UInt8] = []
      let isQuoted = try file.peekByte() == UInt8(ascii: "\"")
      var end = End.file
      var fault: String?
      if isQuoted {
        fault = try readQuoted(&bytes)
        var rest: [UInt8] = []
        // Nothing stands behind a quote, in a well-formed file.
        if fault == nil { end = try readUnquoted(&rest) }
        if !rest.isEmpty { fault = "text after a closing quote" }
      } else {
        end = try readUnquoted(&bytes)
      }
      size += bytes.count
      if size > Self.limit { throw .trouble("\(file.name) has a row of more than \(Self.limit) bytes") }
      let text = String(validating: bytes, as: UTF8.self)
      if text == nil { fault = fault ?? "not UTF-8" }
      row.fault = row.fault ?? fault
      row.values.append(Value(text: text ?? "", isMissing: !isQuoted && bytes.isEmpty))
      if end != .value { return row }
    }
  }

  /// What stands between quotes; why it can't be read.
  private func readQuoted(_ bytes: inout [UInt8]) throws(Failure) -> String? {
    _ = try file.readByte()
    while true {
      var isClosed = false
      let isThere = try file.take { piece in
        let count = piece.firstIndex(of: UInt8(ascii: "\"")) ?? piece.count
        bytes.append(contentsOf: piece[..<count])
        for byte in piece[..<count] where byte == 0x0A { lineNumber += 1 }
        isClosed = count < piece.count
        return isClosed ? count + 1 : count
      }
      try checkSize(bytes)
      guard isThere else { return "a quote that is never closed" }
      guard isClosed else { continue }
      guard try file.peekByte() == UInt8(ascii: "\"") else { return nil }
      bytes.append(UInt8(ascii: "\""))
      _ = try file.readByte()
    }
  }

  /// What stands up to the next separator or the line's end.
  private func readUnquoted(_ bytes: inout [UInt8]) throws(Failure) -> End {
    let separator = separator
    while true {
      var end = End.file
      let isThere = try file.take { piece in
        guard let count = piece.firstIndex(where: { $0 == separator || $0 == 0x0A }) else {
          bytes.append(contentsOf: piece)
          return piece.count
        }
        bytes.append(contentsOf: piece[..<count])
        end = piece[count] == 0x0A ? .row : .value
        return count + 1
      }
      try checkSize(bytes)
      if end == .row {
        lineNumber += 1
        if bytes.last == 0x0D { bytes.removeLast() }
      }
      if end != .file || !isThere { return end }
    }
  }

  private func checkSize(_ bytes: [UInt8]) throws(Failure) {
    guard bytes.count <= Self.limit else {
      throw .trouble("\(file.name) has a value of more than \(Self.limit) bytes")
    }
  }
}
