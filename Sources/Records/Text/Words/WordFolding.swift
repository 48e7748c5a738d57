/// The form of a text in which its words are compared: folded by case and marks, and without what is the
/// same word in other clothes.
///
/// Besides what `[cd]` of a predicate passes over, these make no difference to a word: the width of Latin
/// letters, digits and kana (`Ｌｉｎｕｘ`, `ｶﾞ`), characters that can't be seen (soft hyphen, joiners, marks of
/// direction, the choice of a glyph or an emoji's colour), the skin colour of an emoji, the frame around a
/// character, and the stroke that draws an Arabic word out.
enum WordFolding {
  private static let folding: TextFolding = [.caseInsensitive, .diacriticInsensitive]

  /// The UTF-8 of the text in that form.
  static func folded(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      var folded: [UInt8] = []
      folded.reserveCapacity(bytes.count)
      append(bytes.span, to: &folded)
      return folded
    }
  }

  /// Nothing of ASCII combines with what stands before it, so a text can be folded in parts that begin with a
  /// character of ASCII: only the few that have others behind it take the long way.
  private static func append(_ text: Span<UInt8>, to folded: inout [UInt8]) {
    var offset = 0
    while offset < text.count {
      let start = offset
      while offset < text.count, text[offset] < 0x80 { offset += 1 }
      let base = offset < text.count && offset > start ? offset - 1 : offset
      for index in start..<base { folded.append(text[index].lowercasedASCII) }
      guard offset < text.count else { return }
      while offset < text.count, text[offset] >= 0x80 { offset += 1 }
      appendPart(text.extracting(base..<offset), to: &folded)
    }
  }

  private static func appendPart(_ part: Span<UInt8>, to folded: inout [UInt8]) {
    if part.isUntouched {
      for index in part.indices { folded.append(part[index].lowercasedASCII) }
      return
    }
    let text = part.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    guard text.unicodeScalars.contains(where: { disguise(of: $0.value) != nil }) else {
      folded += folding.folded(text)
      return
    }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch disguise(of: scalar.value) {
      case nil: plain.append(scalar)
      case .nothing: continue
      case .character(let character): plain.append(character)
      }
    }
    folded += folding.folded(String(plain))
  }

  /// What a character stands for that is not itself.
  private enum Disguise {
    case nothing
    case character(Unicode.Scalar)
  }

  private static func disguise(of value: UInt32) -> Disguise? {
    switch value {
    case 0xAD, 0x34F, 0x61C, 0x180B...0x180F, 0x200C...0x200F, 0x202A...0x202E, 0x2060...0x206F,
      0xFE00...0xFE0F, 0xFEFF, 0xE0000...0xE0FFF:
      .nothing
    case 0x20DD...0x20E0, 0x20E2...0x20E4, 0x640, 0x1F3FB...0x1F3FF: .nothing
    case 0xFF01...0xFF5E: Unicode.Scalar(value - 0xFEE0).map { .character($0) }
    case 0xFF66...0xFF9F: .character(fullWidthKana[Int(value - 0xFF66)])
    default: nil
    }
  }

  /// For the half-width ones from U+FF66 on. The last are the voicing marks, which join the kana before them.
  private static let fullWidthKana = Array(
    """
    ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\
    \u{3099}\u{309A}
    """.unicodeScalars)
}

extension Span where Element == UInt8 {
  /// Whether folding leaves this UTF-8, of which only the first character may be ASCII, as it is: true only
  /// for Han characters and Hangul syllables.
  fileprivate var isUntouched: Bool {
    var offset = count > 0 && self[0] < 0x80 ? 1 : 0
    while offset < count {
      switch self[offset] {
      case 0xE4...0xE9, 0xEB...0xEC: offset += 3  // U+4000…U+9FFF, U+B000…U+CFFF
      default: return false
      }
    }
    return true
  }
}
