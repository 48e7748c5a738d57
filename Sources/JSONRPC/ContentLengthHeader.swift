/// The header lines of one message in `Content-Length` framing, taken one by one.
///
/// The form is the Language Server Protocol's base protocol: `name: value` lines, ended by CR LF (a lone LF
/// is accepted), then an empty line. `Content-Length` is needed once; other names are ignored.
struct ContentLengthHeader: Sendable {
  enum Outcome: Sendable, Equatable {
    case unfinished
    /// The empty line came: the body of that many bytes follows.
    case complete(length: Int)
    case malformed(reason: String)
  }

  private var length: Int?
  private var hasFields = false

  /// Whether no line but empty ones came.
  var isBlank: Bool { !hasFields }

  /// Takes one line, without its line feed.
  mutating func take(line bytes: ArraySlice<UInt8>) -> Outcome {
    let line = bytes.last == Byte.carriageReturn ? bytes.dropLast() : bytes
    if line.isEmpty {
      // Some programs send a line feed after each body too.
      guard hasFields else { return .unfinished }
      guard let length else { return .malformed(reason: "no Content-Length header") }
      return .complete(length: length)
    }
    hasFields = true
    guard let colon = line.firstIndex(of: Byte.colon), colon > line.startIndex,
      line[..<colon].allSatisfy({ $0 > Byte.space && $0 < 0x7F })
    else { return .malformed(reason: "a header line must be 'name: value'") }
    let isLength = line[..<colon].elementsEqual(
      "content-length".utf8, by: Byte.isEqual(_:ignoringCaseOf:))
    guard isLength else { return .unfinished }
    guard length == nil else { return .malformed(reason: "Content-Length occurs twice") }
    length = Self.number(line[(colon + 1)...])
    guard length != nil else { return .malformed(reason: "Content-Length must be a number of bytes") }
    return .unfinished
  }

  /// Decimal digits with blanks around them.
  private static func number(_ text: ArraySlice<UInt8>) -> Int? {
    let isBlank = { (byte: UInt8) in byte == Byte.space || byte == Byte.tab }
    let digits = text.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    if digits.isEmpty { return nil }
    var number = 0
    for byte in digits {
      guard Byte.isDigit(byte) else { return nil }
      let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = tens.addingReportingOverflow(Int(byte - Byte.zero))
      if overflows || overflowsToo { return nil }
      number = sum
    }
    return number
  }
}
