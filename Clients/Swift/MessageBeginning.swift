/// The first bytes of a message that was too long to keep. The service's messages begin with
/// `{"jsonrpc":"2.0","id":…` or `{"jsonrpc":"2.0","method":"recordsChanged","params":{"subscriptionID":…`,
/// without white space.
struct MessageBeginning {
  private let text: String

  init(_ bytes: [UInt8]) {
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The whole number that is the value of the member.
  func number(after name: String) -> Int64? {
    value(after: name).flatMap { Int64($0.prefix { $0.isNumber || $0 == "-" }) }
  }

  /// The text, without escapes, that is the value of the member.
  func string(after name: String) -> String? {
    guard let value = value(after: name), value.first == "\"" else { return nil }
    let body = value.dropFirst()
    guard let end = body.firstIndex(of: "\"") else { return nil }
    return String(body[..<end])
  }

  private func value(after name: String) -> Substring? {
    // A result may hold members of the same name: only what precedes it counts.
    let heading = text.prefix(upTo: text.range(of: "\"result\":") ?? text.endIndex)
    return heading.range(of: "\"\(name)\":").map { text[text.index($0, offsetBy: name.utf8.count + 3)...] }
  }
}

extension StringProtocol {
  /// Where `other` begins, by characters; the standard library's search without Foundation.
  fileprivate func range(of other: String) -> Index? {
    var position = startIndex
    while position < endIndex {
      if self[position...].hasPrefix(other) { return position }
      position = index(after: position)
    }
    return nil
  }
}
