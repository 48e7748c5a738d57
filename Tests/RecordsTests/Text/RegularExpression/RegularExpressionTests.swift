import Testing

@testable import Records

struct RegularExpressionTests {
  /// Whether the pattern matches the whole text.
  static func matches(_ pattern: String, _ text: String, _ folding: TextFolding = []) throws -> Bool {
    let expression = try RegularExpression(pattern, folding: folding)
    let folded = folding.folded(text)
    return expression.matches(folded.span)
  }

  private func expect(
    _ pattern: String, matches texts: [String], notThese others: [String], folding: TextFolding = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for text in texts {
      let matches = try Self.matches(pattern, text, folding)
      #expect(matches, "\(pattern) ~ \(text.debugDescription)", sourceLocation: sourceLocation)
    }
    for text in others {
      let matches = try Self.matches(pattern, text, folding)
      #expect(!matches, "\(pattern) !~ \(text.debugDescription)", sourceLocation: sourceLocation)
    }
  }

  @Test("characters are themselves, and the whole text must match")
  func characters() throws {
    try expect("abc", matches: ["abc"], notThese: ["", "ab", "abcd", "xabc", "ABC"])
    try expect("", matches: [""], notThese: ["a"])
    try expect("日本é👩", matches: ["日本é👩", "日本e\u{301}👩"], notThese: ["日本e👩"])
    try expect(#"a\.b\*\[\]\\\-\é"#, matches: [#"a.b*[]\-é"#], notThese: [#"axb*[]\-é"#])
    try expect(#"\Qa.b*\E+"#, matches: ["a.b*", "a.b**"], notThese: ["axb"])
    try expect(#"\Q(a\nb"#, matches: [#"(a\nb"#], notThese: ["(a\nb"])
    try expect("a]b}c-", matches: ["a]b}c-"], notThese: [])
  }

  @Test("escapes stand for characters")
  func escapes() throws {
    try expect(#"\x41\x{1F600}\u00e9\U0001F600\uD83D\uDE00"#, matches: ["A😀é😀😀"], notThese: ["A"])
    try expect(#"\t\n\r\f\a\e\cA\0101\x9"#, matches: ["\t\n\r\u{C}\u{7}\u{1B}\u{1}A\t"], notThese: [])
  }

  @Test("the point is one code point, line terminators only with (?s)")
  func point() throws {
    try expect(
      "a.c", matches: ["abc", "a日c", "a👩c"],
      notThese: ["ac", "abbc", "a\nc", "a\rc", "a\u{2028}c", "a\u{85}c"])
    try expect("(?s)a.c", matches: ["a\nc", "abc"], notThese: ["a\r\nc"])
    try expect("(?s:.)b.", matches: ["\nbc"], notThese: ["\nb\n"])
  }

  @Test("quantifiers, greedy or lazy, say how often")
  func quantifiers() throws {
    try expect("ab*c", matches: ["ac", "abc", "abbbc"], notThese: ["a", "abb"])
    try expect("ab+?c", matches: ["abc", "abbbc"], notThese: ["ac"])
    try expect("ab??c", matches: ["ac", "abc"], notThese: ["abbc"])
    try expect("a{3}", matches: ["aaa"], notThese: ["aa", "aaaa"])
    try expect("a{2,}?", matches: ["aa", "aaaaa"], notThese: ["a"])
    try expect("(ab){1,3}", matches: ["ab", "abab", "ababab"], notThese: ["", "abababab", "aba"])
    try expect("a{0}b", matches: ["b"], notThese: ["ab"])
    try expect("(a*)*(){1000000}", matches: ["", "aaa"], notThese: ["b"])
    try expect("(a|b)*?c", matches: ["c", "abbac"], notThese: ["abba"])
    try expect("a{00002}", matches: ["aa"], notThese: ["a"])
  }

  @Test("groups and alternatives")
  func groups() throws {
    try expect("a|bc|", matches: ["a", "bc", ""], notThese: ["b", "abc"])
    try expect("x(?:a|b)(?<name1>c)y", matches: ["xacy", "xbcy"], notThese: ["xy", "xabcy"])
    try expect("a(?#a comment with [ in it)b", matches: ["ab"], notThese: [])
    try expect("((a)(b(c)))+", matches: ["abc", "abcabc"], notThese: ["ab"])
  }

  @Test("anchors hold at the ends of the text, or of a line with (?m)")
  func anchors() throws {
    try expect(#"^abc$"#, matches: ["abc"], notThese: ["abcd"])
    try expect(#"\Aab\z"#, matches: ["ab"], notThese: ["ab\n"])
    try expect(#"a^b"#, matches: [], notThese: ["ab", "a\nb"])
    try expect(#"ab$\n"#, matches: ["ab\n"], notThese: ["ab"])
    try expect(
      #"ab\Z\R"#, matches: ["ab\n", "ab\r\n", "ab\u{2028}", "ab\u{85}"], notThese: ["ab", "ab\n\n"])
    try expect(#"ab$\r\n"#, matches: ["ab\r\n"], notThese: [])
    try expect(#"ab\r$\n"#, matches: [], notThese: ["ab\r\n"])
    try expect(#"ab\n$\n"#, matches: ["ab\n\n"], notThese: [])
    try expect(#"ab$\n\n"#, matches: [], notThese: ["ab\n\n"])
    try expect(#"(?m)a$\n^b$\r\n^c"#, matches: ["a\nb\r\nc"], notThese: ["a\nb\nc"])
    try expect(#"(?m)a\r$\n"#, matches: [], notThese: ["a\r\n"])
    try expect(#"(?m)a\n^"#, matches: [], notThese: ["a\n"])
    try expect(#"(^a|b)*"#, matches: ["", "a", "abb", "bb"], notThese: ["ba", "aa"])
  }

  @Test("word boundaries lie between word characters and others")
  func wordBoundaries() throws {
    try expect(#"\bab\b.*"#, matches: ["ab", "ab cd", "ab-"], notThese: ["abc", "abé", "ab_"])
    try expect(#"a\Bb"#, matches: ["ab"], notThese: ["a b"])
    try expect(#".*\bé\b.*"#, matches: ["x é y", "é"], notThese: ["aé", "éa"])
    try expect(#"a\b \bb"#, matches: ["a b"], notThese: [])
    try expect(#"\B"#, matches: [""], notThese: [])
    try expect(#"(\b\w+\b ?)*"#, matches: ["one two three", "", "x"], notThese: ["one  two"])
  }

  @Test("classes of letters behind a backslash")
  func classEscapes() throws {
    try expect(#"\d+"#, matches: ["0189", "٣"], notThese: ["", "1a", "½"])
    try expect(#"\D\S\W\H\V"#, matches: ["ab-ab"], notThese: ["1b-ab", "a -ab", "abcab", "ab- b", "ab-a\n"])
    try expect(#"\w+"#, matches: ["aé_9日", "a\u{200D}"], notThese: ["a-b", " "])
    try expect(#"\s\h\v"#, matches: [" \t\n", "\n\u{A0}\u{2029}"], notThese: ["a\t\n", "  \t", " \n\n"])
    try expect(#"a\Rb"#, matches: ["a\nb", "a\r\nb", "a\u{85}b"], notThese: ["ab", "a\n\nb", "a\n\rb"])
    try expect(#"\p{Lu}\pL\P{L}"#, matches: ["Aé1", "Éa-"], notThese: ["aé1", "Aé日"])
    try expect(#"\p{Greek}+\p{script=Han}\p{gc = uppercase_letter}"#, matches: ["αβ日A"], notThese: ["ab日A"])
    try expect(
      #"\p{^Lu}\p{Hiragana}\p{Hangul}[[:alpha:]][[:^digit:]]"#, matches: ["aあ한éx"],
      notThese: ["Aあ한éx", "aあ한é1"])
    try expect(#"\p{Any}\p{ASCII}\p{Punct}\p{Emoji}"#, matches: ["日a!👩"], notThese: ["日é!👩"])
  }

  @Test("brackets: ranges, negation, classes in classes, differences and intersections")
  func brackets() throws {
    try expect("[abc]+", matches: ["abccba"], notThese: ["", "d"])
    try expect("[a-cx-z]", matches: ["a", "b", "c", "y"], notThese: ["d", "-", "w"])
    try expect("[^a-c]", matches: ["d", "日", "\n"], notThese: ["a", "b", ""])
    try expect(#"[]a]"#, matches: ["]", "a"], notThese: ["b"])
    try expect(#"[^]a]"#, matches: ["b"], notThese: ["]", "a"])
    try expect(#"[a-]"#, matches: ["a", "-"], notThese: ["b"])
    try expect(#"[-a]"#, matches: ["a", "-"], notThese: ["b"])
    try expect(#"[\w-.]"#, matches: ["a", "-", "."], notThese: [","])
    try expect(#"[a\-c]"#, matches: ["a", "-", "c"], notThese: ["b"])
    try expect(#"[\]\\\^\d\x41-\x43]"#, matches: ["]", "\\", "^", "5", "B"], notThese: ["D"])
    try expect("[a-d[m-p]]", matches: ["a", "n"], notThese: ["e", "["])
    try expect("[a-z&&[^aeiou]]", matches: ["b"], notThese: ["a", "B"])
    try expect("[a-z&&def]", matches: ["d", "e"], notThese: ["a", "&"])
    try expect("[a-z--[aeiou]]", matches: ["b"], notThese: ["a", "-"])
    try expect("[[a-z]-[aeiou]x1]", matches: ["b", "x", "1"], notThese: ["a", "-"])
    try expect("[[a-z]&[x-~]]", matches: ["x", "z"], notThese: ["a", "&", "~"])
    try expect(#"[\p{L}--\p{Lu}]"#, matches: ["a", "é"], notThese: ["A", "1"])
    try expect("[.*+?(){}|^$&]+", matches: [".*+?(){}|^$&"], notThese: ["a"])
    try expect(#"[\Qa-c]\E]"#, matches: ["a", "-", "c", "]"], notThese: ["b"])
    try expect(#"[\b]"#, matches: ["\u{8}"], notThese: ["b"])
    try expect("[日-本]", matches: ["日", "本"], notThese: ["a"])
  }

  @Test("flags in the pattern count to the end of their group")
  func flags() throws {
    try expect("(?i)aé[x-z]", matches: ["aéx", "AÉZ"], notThese: ["be"])
    try expect("(?i:a)b", matches: ["ab", "Ab"], notThese: ["aB"])
    try expect("((?i)a)b", matches: ["Ab"], notThese: ["AB"])
    try expect("a(?i)b(?-i)c", matches: ["aBc", "abc"], notThese: ["Abc", "abC"])
    try expect("(?i)σς", matches: ["ΣΣ", "σσ", "ςς"], notThese: ["σ"])
    try expect("(?i)[^a]", matches: ["b"], notThese: ["a", "A"])
    try expect("(?i)k", matches: ["k", "K", "\u{212A}"], notThese: ["q"])
    try expect("(?x) a b # c\n \\  [d e]", matches: ["ab d", "ab e"], notThese: ["ab  ", "abd"])
    try expect("(?xi) a + b", matches: ["AAB"], notThese: ["a b"])
  }

  @Test("[c] and [d] fold pattern and text alike")
  func folding() throws {
    let both: TextFolding = [.caseInsensitive, .diacriticInsensitive]
    try expect("straße", matches: ["STRASSE", "Straße"], notThese: ["strase"], folding: .caseInsensitive)
    try expect("[äöüß]+", matches: ["ÄÖSS", "ß"], notThese: ["s", "a"], folding: .caseInsensitive)
    try expect("ß{2}", matches: ["ßß", "SSSS"], notThese: ["ss"], folding: .caseInsensitive)
    try expect("[A-Z]+", matches: ["abc", "ABC"], notThese: ["é"], folding: .caseInsensitive)
    try expect("[^A-Z]+", matches: ["é1"], notThese: ["a", "A"], folding: .caseInsensitive)
    try expect(#"\p{Lu}\P{Lu}"#, matches: ["a1", "A1"], notThese: ["aa"], folding: .caseInsensitive)
    try expect("Σ[Α-Ω]", matches: ["σς", "ςΩ"], notThese: ["as"], folding: .caseInsensitive)
    try expect("É[è-ë]", matches: ["Ee", "Éê"], notThese: ["ée"], folding: .diacriticInsensitive)
    try expect("É[È-Ë]", matches: ["ee", "Éê"], notThese: ["aa"], folding: both)
    try expect("[\u{212B}]", matches: ["Å", "\u{212B}", "A\u{30A}"], notThese: ["A"])
  }

  @Test("a text that another thread is matching doesn't keep others")
  func severalThreads() async throws {
    let expression = try RegularExpression("(a|b)*c", folding: [])
    let matches = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<8 {
        group.addTask {
          let text = String(repeating: "ab", count: 2000) + (index % 2 == 0 ? "c" : "d")
          return (0..<5).allSatisfy { _ in expression.matches(text) == (index % 2 == 0) }
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(matches)
  }

  @Test("the same pattern under the same folding is the same expression")
  func equality() throws {
    let one = try RegularExpression("a", folding: [])
    let same = try RegularExpression("a", folding: [])
    let folded = try RegularExpression("a", folding: .caseInsensitive)
    let other = try RegularExpression("b", folding: [])
    #expect(one == same)
    #expect(one != folded)
    #expect(one != other)
  }
}
