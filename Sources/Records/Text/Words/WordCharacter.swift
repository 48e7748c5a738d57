/// What a character of a folded text is for one who cuts it into words.
enum WordCharacter {
  /// Stands between words: white space, punctuation, controls, the symbols of ASCII.
  case separator
  /// A letter or a digit: as many as stand together are one word.
  case letter
  /// A word by itself, with the marks that follow: a Han character, a kana, a Hangul syllable, a letter of a
  /// script that is written without space between its words, an emoji, a symbol.
  case alone
  /// One of the letters of which two make a flag, and a word.
  case flagLetter
  /// Belongs to the letter before it; without one it is passed over.
  case mark

  /// Rightly what a code point of ASCII is, too; the common blocks are decided without Unicode's tables.
  init(_ value: UInt32) {
    switch value {
    case 0..<0x80: self = UInt8(value).isLetterOrDigit ? .letter : .separator
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2AF, 0x3B1...0x3CE, 0x430...0x481: self = .letter
    // Written as an apostrophe by many, in Ukrainian, Uzbek or Hawaiian, which is none of a letter.
    case 0x2B9...0x2BF: self = .separator
    // What stands for characters that are lost or not text.
    case 0xFFFC, 0xFFFD: self = .separator
    case 0x1F1E6...0x1F1FF: self = .flagLetter
    // The blocks of kana, Han and Hangul, and those of emoji as far as they will ever be filled.
    case 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3,
      0x1F000...0x1F1E5, 0x1F200...0x1F3FA, 0x1F400...0x1FAFF:
      self = .alone
    default: self = Unicode.Scalar(value).map(Self.init(byCategoryOf:)) ?? .separator
    }
  }

  private init(byCategoryOf scalar: Unicode.Scalar) {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      self = Self.standsAlone(scalar.value) ? .alone : .letter
    case .nonspacingMark, .spacingMark, .enclosingMark: self = .mark
    case .mathSymbol, .currencySymbol, .otherSymbol, .privateUse: self = .alone
    default: self = .separator
    }
  }

  /// Whether a letter or digit is one of a script that is written without space between its words.
  private static func standsAlone(_ value: UInt32) -> Bool {
    switch value {
    case 0xE00...0xEFF,  // Thai, Lao
      0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F,  // Burmese and its neighbours
      0x1780...0x17FF,  // Khmer
      0x1950...0x19DF, 0x1A20...0x1AAF, 0xAA80...0xAADF, 0x11700...0x1174F,  // Tai scripts
      0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF, 0xFFA0...0xFFDC,  // letters of Hangul
      0x2E80...0x31FF, 0xF900...0xFAFF, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,  // the rest of Han and kana
      0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

extension UInt8 {
  /// Of ASCII, in lower case.
  @inline(__always)
  var isLetterOrDigit: Bool {
    self &- UInt8(ascii: "a") < 26 || self &- UInt8(ascii: "0") < 10 || self &- UInt8(ascii: "A") < 26
  }
}
