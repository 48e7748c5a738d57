internal import JSONRPC
internal import Records

extension Method {
  static let echo = Method(
    "echo", .local, [], concernsStore: false, takesAnyParameters: true, errors: .always
  ) { invocation, result throws(RecordError) in
    if let params = invocation.arguments.all {
      result.rawOnOneLine(params)
    } else {
      result.null()
    }
    return .done
  }
}

extension JSONWriter {
  /// The value's own text; line ends between its parts, where JSON takes any white space, become spaces,
  /// because a reply is one line.
  fileprivate mutating func rawOnOneLine(_ value: JSON) {
    raw(
      value.bytes.lazy.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 })
  }
}
