public import JSONRPC

/// How text is cut into words for full text.
///
/// A word is a run of letters and digits with their marks; everything else separates words, so that
/// `multi-agent`, `20.04` and `who's` are two words each. Where a script puts no space between words, every
/// character is a word, and so are emoji and symbols (``WordCharacter``). Words are compared as
/// ``WordFolding`` leaves them. These are the boundaries of Unicode's UAX #29 but for three things: the
/// punctuation that joins letters or digits there separates them here, katakana are not joined, and symbols
/// outside ASCII are words.
public enum Words {
  /// Changes when a text may be cut or folded in another way than before, be it that these rules change or
  /// that the standard library gets newer tables: words kept from another version must be made anew.
  public static let version: Int64 = 1

  /// The words of a text, folded, in their order.
  public static func words(of text: String) -> [String] {
    let folded = WordFolding.folded(text)
    var words: [String] = []
    var offset = 0
    while let word = next(in: folded.span, from: &offset) {
      words.append(String(decoding: folded[word], as: UTF8.self))
    }
    return words
  }

  /// Appends the words of a JSON string to `bytes`, each with a space behind it: UTF-8 that has of ASCII only
  /// lower-case letters, digits and those spaces. Of a longer word the whole characters in its first
  /// `maximumBytes` bytes.
  public static func append(_ json: JSON, to bytes: inout [UInt8], maximumBytes: Int = .max) {
    withFoldedWords(of: json) { text in
      var offset = 0
      while let word = next(in: text, from: &offset) {
        let end = text.end(of: word, maximumBytes: maximumBytes)
        for index in word.lowerBound..<end { bytes.append(text[index]) }
        bytes.append(UInt8(ascii: " "))
      }
    }
  }

  /// The place of the first word of a folded text that begins at `offset` or behind it; `offset` moves to its
  /// end. Nil when there is none left.
  static func next(in text: Span<UInt8>, from offset: inout Int) -> Range<Int>? {
    while offset < text.count {
      let start = offset
      switch text.wordCharacter(at: &offset) {
      case .separator, .mark: continue
      case .letter: text.skip(.letter, from: &offset)
      case .alone: text.skip(.mark, from: &offset)
      case .flagLetter:
        var end = offset
        if end < text.count, text.wordCharacter(at: &end) == .flagLetter { offset = end }
      }
      return start..<offset
    }
    return nil
  }

  /// Gives `body` the text of a JSON string as ``WordFolding`` leaves it, or, for ASCII, any text that has the
  /// same words in the same places.
  static func withFoldedWords<Value>(of json: JSON, _ body: (Span<UInt8>) -> Value) -> Value {
    let literal = json.bytes
    let bytes = literal.span
    guard bytes.count >= 2 else { return body(bytes.extracting(first: 0)) }
    let text = bytes.extracting(1..<bytes.count - 1)
    guard text.isASCIIWithShortEscapes else { return body(WordFolding.folded(json.stringValue ?? "").span) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { copy in
      var isEscaped = false
      for index in text.indices {
        // What the short escapes stand for separates words, and so do two spaces.
        let byte = text[index]
        let isSpace = isEscaped || byte == UInt8(ascii: "\\")
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        copy.initializeElement(at: index, to: isSpace ? UInt8(ascii: " ") : byte.lowercasedASCII)
      }
      return body(UnsafeBufferPointer(copy).span)
    }
  }
}

extension Span where Element == UInt8 {
  @inline(__always)
  fileprivate func wordCharacter(at offset: inout Int) -> WordCharacter {
    let byte = self[offset]
    if byte < 0x80 {
      offset += 1
      return byte.isLetterOrDigit ? .letter : .separator
    }
    return WordCharacter(scalar(at: &offset))
  }

  /// Moves behind the marks that follow, and the letters too if it is for those.
  @inline(__always)
  fileprivate func skip(_ kind: WordCharacter, from offset: inout Int) {
    var next = offset
    while next < count {
      let character = wordCharacter(at: &next)
      guard character == kind || character == .mark else { return }
      offset = next
    }
  }

  /// Behind the last whole character in the first bytes of a word.
  fileprivate func end(of word: Range<Int>, maximumBytes: Int) -> Int {
    guard word.count > maximumBytes else { return word.upperBound }
    var end = word.lowerBound + maximumBytes
    while end > word.lowerBound, self[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  /// Whether the inside of a JSON string is ASCII that has no `\u`.
  fileprivate var isASCIIWithShortEscapes: Bool {
    var isEscaped = false
    for index in indices {
      let byte = self[index]
      if byte >= 0x80 || isEscaped && byte == UInt8(ascii: "u") { return false }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return true
  }
}
