internal import CProtocolDocument

/// `Protocol/openrpc.json` as it was when the program was built.
enum ProtocolDocument {
  /// The document's JSON text without white space between its parts, so that a reply stays on one line.
  static let text: [UInt8] = {
    let source = UnsafeBufferPointer(
      start: lists_openrpc_document_start(), count: lists_openrpc_document_count)
    var text: [UInt8] = []
    text.reserveCapacity(source.count)
    var isInString = false
    var isEscaped = false
    for byte in source {
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
        continue
      }
      text.append(byte)
    }
    return text
  }()
}
