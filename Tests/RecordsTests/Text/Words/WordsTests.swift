import JSONRPC
import Testing

@testable import Records

struct WordsTests {
  private static let cuts: [(text: String, words: String)] = [
    ("", ""), (" \t\n", ""), ("\"", ""), ("Hello, World!", "hello world"), ("multi-agent", "multi agent"),
    ("20.04", "20 04"), ("who's", "who s"), ("who’s", "who s"), ("@nasa", "nasa"), ("a*", "a"),
    ("AND NEAR(x y, 3)", "and near x y 3"), ("snake_case", "snake case"), ("C++ C#", "c c"),
    ("h264 2nd", "h264 2nd"), ("a\u{0}b", "a b"), ("/usr/lib/x86_64", "usr lib x86 64"),
    ("col·lecció", "col leccio"),
    // Greek, Cyrillic, German, Turkish, Vietnamese.
    ("ΟΔΥΣΣΕΎΣ Ὀδυσσεύς", "οδυσσευσ οδυσσευσ"), ("Ёлка ЇЖАК", "елка іжак"),
    ("п'ять пʼять п’ять", "п ять п ять п ять"), ("Straße STRASSE", "strasse strasse"),
    ("Ærøskøbing", "ærøskøbing"),
    ("İstanbul ısı", "istanbul ısı"), ("Tiếng Việt", "tieng viet"),
    // Marks, apart or not, and none without a letter.
    ("e\u{301}te\u{301} été", "ete ete"), (" \u{301}a", "a"), ("x\u{301}\u{302}y", "xy"),
    // Arabic with vowel signs and a stroke, Persian with a joiner, Hebrew, Hindi.
    ("مُحَمَّد محـــمد", "محمد محمد"), ("می\u{200C}خواهم", "میخواهم"), ("שָׁלוֹם עולם", "שלום עולם"),
    ("हिन्दी में", "हिन्दी में"), ("١٢٣٫٤", "١٢٣ ٤"),
    // Scripts without space: every letter with its marks.
    ("ภาษาไทย", "ภ า ษ า ไ ท ย"), ("กิ่ง", "กิ ง"), ("ភាសា", "ភា សា"),
    // Chinese, Japanese, Korean.
    ("中文", "中 文"), ("中、文。", "中 文"), ("Linux系统", "linux 系 统"), ("𠮷野家", "𠮷 野 家"), ("時々", "時 々"),
    ("サーバー", "サ ー バ ー"), ("ひらがな", "ひ ら が な"), ("か\u{3099}", "が"), ("か\u{309A}", "か\u{309A}"),
    ("ｻｰﾊﾞｰ", "サ ー バ ー"), ("Ｌｉｎｕｘ１２", "linux12"), ("ハ・ハ", "ハ ハ"), ("서버를", "서 버 를"),
    ("\u{1109}\u{1165}", "서"), ("ㅋㅋ", "ㅋ ㅋ"), ("\u{F900}", "豈"),
    // Emoji and symbols.
    ("I❤️NY", "i ❤ ny"), ("👍🏽👍", "👍 👍"), ("👩‍👩‍👧", "👩 👩 👧"), ("🇩🇪🇫🇷🇦", "🇩🇪 🇫🇷 🇦"), ("1️⃣", "1"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴"),
    ("5€ 20°C", "5 € 20 ° c"), ("2×4→8", "2 × 4 → 8"), ("m²", "m²"), ("$5+1=6", "5 1 6"), ("\u{FFFD}", ""),
    // What can't be seen.
    ("auto\u{AD}matic", "automatic"), ("a\u{200B}b", "a b"), ("\u{FEFF}a\u{2060}b\u{200F}", "ab"),
    ("a\u{A0}b\u{3000}c", "a b c"),
  ]

  @Test("text is cut into its words", arguments: cuts)
  func cut(text: String, words: String) {
    let expected = words.split(separator: " " as Character).map(String.init)
    let found = Words.words(of: text)
    #expect(found.elementsEqual(expected) { $0.hasSameUTF8(as: $1) }, "\(found)")
  }

  @Test("a text as JSON has the same words, however it is escaped", arguments: cuts.map(\.text))
  func fromJSON(text: String) {
    let expected = Array(Words.words(of: text).map { $0 + " " }.joined().utf8)
    var escaped = "\""
    for unit in text.utf16 {
      let digits = String(unit, radix: 16)
      escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    escaped += "\""
    var writer = JSONWriter()
    writer.string(text)
    for json in [JSON(unchecked: Array(escaped.utf8)), JSON(unchecked: writer.bytes)] {
      var words: [UInt8] = []
      Words.append(json, to: &words)
      #expect(words == expected)
    }
  }

  @Test("short escapes in JSON separate words")
  func shortEscapes() {
    var words: [UInt8] = []
    Words.append(JSON(unchecked: Array(#""a\nb\\n\"c\/d\te""#.utf8)), to: &words)
    #expect(String(decoding: words, as: UTF8.self) == "a b n c d e ")
  }

  @Test("only the beginning of a long word is kept where it is asked for, in whole characters")
  func longWords() {
    var words: [UInt8] = []
    Words.append(JSON(unchecked: Array("\"abcdef éø øéøø 👍 abc\"".utf8)), to: &words, maximumBytes: 3)
    #expect(String(decoding: words, as: UTF8.self) == "abc eø øe  abc ")
  }

  @Test("a text folded in parts is folded as a whole", arguments: SampleValues.texts + cuts.map(\.text))
  func parts(text: String) {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      WordFolding.folded(String(scalar))
        == ([.caseInsensitive, .diacriticInsensitive] as TextFolding).folded(String(scalar))
    }
    guard isPlain else { return }
    let whole = ([.caseInsensitive, .diacriticInsensitive] as TextFolding).folded(text)
    #expect(WordFolding.folded(text) == whole)
  }

  @Test("words are folded already: cutting them again gives them back", arguments: cuts.map(\.text))
  func idempotence(text: String) {
    for word in Words.words(of: text) { #expect(Words.words(of: word) == [word]) }
  }

  @Test("words of random texts have of ASCII only lower-case letters and digits, and nothing is lost")
  func randomTexts() {
    var generator = SplitMix64(seed: 11)
    for _ in 0..<3000 {
      let text = SampleValues.randomText(using: &generator) + "Zz9"
      let words = Words.words(of: text)
      #expect(words.last?.hasSuffix("zz9") == true)
      for word in words {
        #expect(!word.isEmpty)
        #expect(
          word.utf8.allSatisfy { $0 >= 0x80 || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
      }
    }
  }

  @Test("the version of the words is that of these tables: give Words another when this fails")
  func tables() {
    // Over every code point: what it is for words, and what it folds to.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for value in UInt32(0)..<0x110000 {
      // Han, Hangul and private use are as they are by range.
      guard let scalar = Unicode.Scalar(value), !(0x3400..<0xD7A4).contains(value),
        !(0x20000..<0xE0000).contains(value), value < 0xF0000
      else { continue }
      switch WordCharacter(value) {
      case .separator: continue
      case .letter: add(1)
      case .alone: add(2)
      case .flagLetter: add(3)
      case .mark: add(4)
      }
      for byte in WordFolding.folded(String(scalar)) { add(byte) }
    }
    #expect(Words.version == 1 && hash == 5_385_533_935_211_384_025, "\(hash)")
  }
}
