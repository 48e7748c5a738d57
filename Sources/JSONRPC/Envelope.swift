/// Where the members of a call are in the message.
///
/// They are `jsonrpc`, `id`, `method` and `params`; one that occurs twice, or another one, makes the call
/// invalid, because guessing what was meant would be worse. Read in the same pass that checks the JSON.
struct Envelope {
  private let bytes: [UInt8]
  private var version: Range<Int>?
  private var id: Range<Int>?
  private var method: Range<Int>?
  private var params: Range<Int>?
  private var repeatsID = false
  /// The first thing that is wrong with the members' names; the others are taken in all the same, for the id.
  private var fault: RPCError?

  /// Scans the object that `scanner` stands before.
  init(
    _ bytes: [UInt8], scanner: inout JSONScanner
  ) throws(JSONSyntaxError) {
    self.bytes = bytes
    let span = bytes.span
    try scanner.enterContainer(span)
    var isFirst = true
    while let (key, value) = try scanner.nextMember(span, isFirst: isFirst) {
      isFirst = false
      guard let name = Name(key, in: span) else {
        report("unknown member", key)
        continue
      }
      if !place(value, at: name) { report("repeated member", key) }
    }
  }

  private enum Name {
    case version, id, method, params

    @inline(__always)
    init?(_ key: Range<Int>, in bytes: Span<UInt8>) {
      switch bytes.shortString(key) {
      case 0x1_6A_73_6F_6E_72_70_63: self = .version  // "jsonrpc"
      case 0x1_69_64: self = .id  // "id"
      case 0x1_6D_65_74_68_6F_64: self = .method  // "method"
      case 0x1_70_61_72_61_6D_73: self = .params  // "params"
      default: return nil
      }
    }
  }

  /// False when the member was there already.
  @inline(__always)
  private mutating func place(_ value: Range<Int>, at name: Name) -> Bool {
    func fill(_ slot: inout Range<Int>?) -> Bool {
      if slot != nil { return false }
      slot = value
      return true
    }
    switch name {
    case .version: return fill(&version)
    case .method: return fill(&method)
    case .params: return fill(&params)
    case .id:
      repeatsID = repeatsID || id != nil
      return fill(&id)
    }
  }

  private mutating func report(_ problem: String, _ key: Range<Int>) {
    if fault != nil { return }
    fault = .invalidRequest("\(problem) \(RPCError.quoted(value(at: key).stringValue ?? ""))")
  }

  private func value(at range: Range<Int>) -> JSON {
    JSON(storage: bytes, start: range.lowerBound, end: range.upperBound)
  }

  /// The call, good or bad.
  var call: Call {
    let requestID: RequestID?
    if let id, !repeatsID {
      requestID = RequestID(value(at: id))
    } else {
      requestID = nil
    }
    func invalid(_ reason: String) -> Call { .invalid(requestID ?? .null, .invalidRequest(reason)) }

    if let fault { return .invalid(requestID ?? .null, fault) }
    if id != nil, requestID == nil { return invalid("id must be a string, a finite number or null") }
    guard let version, value(at: version).isString("2.0") else {
      return invalid("jsonrpc must be \"2.0\"")
    }
    guard let method, let name = value(at: method).stringValue else {
      return invalid("method must be a string")
    }
    let arguments = params.map { value(at: $0) }
    switch arguments?.kind {
    case .object, .array: return .request(Request(id: requestID, method: name, params: arguments))
    case .null, nil: return .request(Request(id: requestID, method: name, params: nil))
    case .boolean, .number, .string: return invalid("params must be an object or an array")
    }
  }
}

extension Span where Element == UInt8 {
  /// The decoded bytes of a string literal as one number, the last one lowest, behind a leading 1 that
  /// makes their count part of it; nil when they are more than seven.
  @inline(__always)
  fileprivate func shortString(_ literal: Range<Int>) -> UInt64? {
    guard literal.count <= 9 else { return decodedShortString(literal) }
    var word: UInt64 = 1
    for offset in literal.lowerBound + 1..<literal.upperBound - 1 {
      let byte = self[offset]
      if byte == Byte.backslash { return decodedShortString(literal) }
      word = word << 8 | UInt64(byte)
    }
    return word
  }

  private func decodedShortString(_ literal: Range<Int>) -> UInt64? {
    let text = decodedString(from: literal.lowerBound, to: literal.upperBound)
    return text.count > 7 ? nil : text.reduce(1) { $0 << 8 | UInt64($1) }
  }
}
