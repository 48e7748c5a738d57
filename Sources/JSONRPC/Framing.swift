/// How messages are told apart on a byte stream. Each side of a connection uses one framing only.
public enum Framing: Sendable, Hashable {
  /// JSON values one after another; what is sent ends with exactly one line feed.
  case stream
  /// `Content-Length` headers, as in the Language Server Protocol.
  case contentLength

  /// Appends one message, a JSON text without line feeds outside its strings, ready to be sent.
  public func frame(_ message: [UInt8], into bytes: inout [UInt8]) {
    switch self {
    case .stream:
      bytes.append(contentsOf: message)
      bytes.append(Byte.lineFeed)
    case .contentLength:
      bytes.append(contentsOf: "Content-Length: \(message.count)\r\n\r\n".utf8)
      bytes.append(contentsOf: message)
    }
  }
}
