/// Where one reply ends in what a server sent, and whether it says that the request failed.
enum ReplyFraming {
  /// JSON-RPC, one reply a line.
  case lines
  /// The Redis serialization protocol: simple strings, bulk strings, integers, errors.
  case resp

  /// The offset after the reply that starts at `start`; nil while it is not whole.
  func endOfReply(in bytes: [UInt8], from start: Int) -> Int? {
    guard let lineFeed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    guard self == .resp, bytes[start] == UInt8(ascii: "$") else { return lineFeed + 1 }
    let digits = String(decoding: bytes[(start + 1)..<(lineFeed - 1)], as: UTF8.self)
    guard let length = Int(digits), length >= 0 else { return lineFeed + 1 }
    let end = lineFeed + 1 + length + 2
    return end <= bytes.count ? end : nil
  }

  /// An error reply ends the run: a fast refusal must never pass for speed. In a line, `error` can only
  /// stand in the first bytes, after the id.
  func isFailure(_ reply: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .resp: reply.first == UInt8(ascii: "-") || reply.starts(with: "$-1".utf8)
    case .lines: String(decoding: reply.prefix(40), as: UTF8.self).contains("\"error\"")
    }
  }
}
