import JSONRPC

/// JSON over several lines, for people.
enum IndentedJSON {
  /// Short arrays and objects stay on their line. No deeper than the service's own depth limit.
  static func text(of value: JSON, indent: Int = 0) -> String {
    if isShort(value, indent) { return DisplayText.harmless(value.text) }
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch value.kind {
    case .object:
      let members = value.members.map { member in
        inner + DisplayText.harmless(member.key.text) + ": " + text(of: member.value, indent: indent + 2)
      }
      return "{\n" + members.joined(separator: ",\n") + "\n" + outer + "}"
    case .array:
      let elements = value.elements.map { inner + text(of: $0, indent: indent + 2) }
      return "[\n" + elements.joined(separator: ",\n") + "\n" + outer + "]"
    default:
      return DisplayText.harmless(value.text)
    }
  }

  private static func isShort(_ value: JSON, _ indent: Int) -> Bool {
    switch value.kind {
    case .object, .array: value.bytes.count + indent <= 76
    default: true
    }
  }
}
