import CLinux
import JSONRPC

/// Text as a terminal shows it.
enum DisplayText {
  /// How many columns a terminal gives the text. Needs a UTF-8 `LC_CTYPE`.
  static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  static func width(_ character: Character) -> Int {
    if character.isASCII { return 1 }
    let scalars = character.unicodeScalars
    // Emoji made of several scalars, flags among them, take one wide cell.
    if scalars.count > 1,
      scalars.contains(where: { $0.value == 0xFE0F || $0.properties.isEmojiModifier })
        || scalars.allSatisfy({ (0x1F1E6...0x1F1FF).contains($0.value) })
        || scalars.contains(where: { $0.value == 0x200D })
    {
      return 2
    }
    return scalars.reduce(0) { $0 + max(0, Int(clinux_character_columns($1.value))) }
  }

  /// The text with at most that many columns, its end replaced by `…` where it is longer.
  static func fitted(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var result = ""
    var used = 1
    for character in text {
      let next = width(character)
      if used + next > columns { break }
      used += next
      result.append(character)
    }
    return result + "…"
  }

  static func padded(_ text: String, to columns: Int, isRight: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, columns - width(text)))
    return isRight ? space + text : text + space
  }

  /// The text with everything that could steer the terminal, or turn its writing direction, escaped: what
  /// is shown came from other programs.
  static func harmless(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isSteering) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where isSteering(scalar):
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
    default: false
    }
  }

  /// A field's value in a table's cell: text as it is, what has a short form in that, else JSON.
  static func cell(_ value: JSON?) -> String {
    guard let value, !value.isNull else { return "" }
    if let text = value.stringValue { return harmless(text) }
    if value.kind == .object {
      if let date = value["$date"]?.stringValue { return harmless(date) }
      if let name = value["$reference"]?["recordName"]?.stringValue { return "→" + harmless(name) }
      if let place = value["$location"], let latitude = place["latitude"], let longitude = place["longitude"]
      {
        return harmless("\(latitude.text), \(longitude.text)")
      }
      if let asset = value["$asset"], let checksum = asset["checksum"]?.stringValue {
        return harmless("\(asset["size"]?.text ?? "?") B \(checksum.prefix(12))…")
      }
    }
    if value.kind == .array,
      value.elements.contains(where: { $0["$reference"] != nil || $0["$asset"] != nil })
    {
      return value.elements.map { cell($0) }.joined(separator: " ")
    }
    return harmless(value.text)
  }

  /// A number of things of which one is called this: `1 record`, `2 records`.
  static func count(_ number: some BinaryInteger, _ thing: String) -> String {
    "\(number) \(thing)\(number == 1 ? "" : "s")"
  }

  static func isNumber(_ value: JSON?) -> Bool { value?.kind == .number }
}
