import Testing

@testable import Records

struct RegularExpressionSyntaxTests {
  @Test(
    "a fault is told by its place",
    arguments: [
      ("(ab", 3), ("ab)", 2), ("a|(b", 4), ("*a", 0), ("a|+", 2), ("a**", 2), ("a{2}{3}", 4), ("(?", 2),
      ("{1}", 0), ("a{", 2), ("a{x}", 2), ("a{,3}", 2), ("a{2", 3), ("a{3,2}", 4), ("a{1,2", 5),
      ("[ab", 3), ("[]", 2), ("[^]", 3), ("[z-a]", 1), ("[[a]", 4), ("[a&&[b]", 7), ("[[:nosuch:]]", 1),
      ("a\\", 2), ("[\\", 2), (#"\q"#, 0), (#"a\E"#, 1), (#"\8"#, 0), (#"\x"#, 2), (#"\u12"#, 4),
      (#"\x{110000}"#, 0),
      (#"\x{12"#, 5), (#"\uD800"#, 0), (#"\uD83Dx"#, 0), (#"\0"#, 2), (#"\c"#, 2), (#"\p{NoSuch}"#, 0),
      (#"\p{Lu"#, 5),
      (#"\p"#, 0), ("(?z)", 2), ("(?i", 3), ("(?<1>a)", 3), ("(?<a", 4), ("(?<>a)", 3), ("(?#a", 4),
      ("(?P<a>b)", 2),
      ("日\u{301}(", 3),
    ])
  func faults(pattern: String, offset: Int) {
    let error = #expect(throws: RegularExpression.SyntaxError.self) {
      try RegularExpression(pattern, folding: [])
    }
    #expect(error?.offset == offset, "\(pattern): \(String(describing: error))")
    #expect(error?.expected.isEmpty == false)
  }

  @Test(
    "what can't be matched in time with the text is refused, and the reason is given",
    arguments: [
      (#"(a)\1"#, 3), (#"(?<n>a)\k<n>"#, 7), ("a(?=b)", 1), ("a(?!b)", 1), ("(?<=a)b", 0), ("(?<!a)b", 0),
      ("(?>a)b", 0), ("a*+", 2), ("a++", 2), ("a?+", 2), ("a{1,2}+", 6), (#"\X"#, 0),
    ])
  func refusals(pattern: String, offset: Int) {
    let error = #expect(throws: RegularExpression.SyntaxError.self) {
      try RegularExpression(pattern, folding: [])
    }
    #expect(error?.offset == offset)
    #expect(error?.problem != nil)
  }

  @Test("the limits are told, and one less is accepted")
  func limits() throws {
    func offset(_ pattern: String) -> Int? {
      do throws(RegularExpression.SyntaxError) {
        _ = try RegularExpression(pattern, folding: [])
        return nil
      } catch {
        #expect(error.problem != nil)
        return error.offset
      }
    }
    #expect(offset("a{999}") == nil)
    #expect(offset("a{1000}") == 7)
    #expect(offset("a{1001}") == 1)
    #expect(offset("(a{20}){50}") == 11)
    #expect(offset("((a{100}){100}){100}") == 9)
    #expect(offset("a{999999999999999999999}") == 1)
    #expect(offset("(a|b){999999999,}") == 5)
    #expect(offset(String(repeating: "(", count: 200) + String(repeating: ")", count: 200)) == nil)
    #expect(offset(String(repeating: "(", count: 201)) == 200)
    #expect(offset(String(repeating: "[", count: 4000)) == 200)
    #expect(offset(String(repeating: "a", count: 4097)) == 4096)
    #expect(offset(String(repeating: "a", count: 999)) == nil)
    #expect(offset(String(repeating: "a", count: 1000)) == 1000)
    let classes = (0..<256).map { "[a\(Unicode.Scalar(0x4E00 + $0).map { String($0) } ?? "")]" }
    #expect(offset(classes.joined()) == 1024)
    #expect(offset(classes.dropLast().joined()) == nil)
  }

  @Test(
    "any text is read as a pattern or refused, and a pattern matches in bounded steps",
    arguments: [1, 2] as [UInt64])
  func anyText(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let signs = [
      "a", "b", "é", "ß", "e\u{301}", "日", "1", ",", "-", "^", "$", ".", "*", "+", "?", "|", "(", ")", "[",
      "]", "{", "}",
      "&&", "--", "(?i)", "(?x)", "(?m:", "(?<n>", "(?=", "{2}", "{1,3}", "{,", "[:alpha:]", "\\", "\\d",
      "\\W", "\\b", "\\B",
      "\\Q", "\\E", "\\p{L}", "\\P{", "\\x4", "\\u00e9", "\\R", " ", "#", "\n", "\u{0}", "\u{10FFFF}", ":",
      "<", ">", "\\Z",
    ]
    var accepted = 0
    for _ in 0..<400 {
      let pattern = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        signs.randomElement(using: &generator) ?? ""
      }
      .joined()
      let folding = TextFolding(rawValue: UInt8.random(in: 0...3, using: &generator))
      do throws(RegularExpression.SyntaxError) {
        let expression = try RegularExpression(pattern, folding: folding)
        accepted += 1
        let text = SampleValues.randomText(using: &generator) + "ab1\n"
        var automaton = expression.automaton
        let size = automaton.size
        _ = automaton.matches(folding.folded(text).span)
        #expect(automaton.steps <= (text.utf8.count * 3 + 1) * size)
      } catch {
        #expect((0...pattern.unicodeScalars.count).contains(error.offset), "\(pattern)")
      }
    }
    #expect(accepted > 40)
  }

  @Test("random bytes are read as a pattern or refused", arguments: [1, 2] as [UInt64])
  func randomBytes(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var refused = 0
    for _ in 0..<400 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let pattern = String(decoding: bytes, as: UTF8.self)
      if (try? RegularExpression(pattern, folding: .caseInsensitive)) == nil { refused += 1 }
    }
    #expect((10..<400).contains(refused))
  }

  @Test("a class of thousands of characters, in any order and in brackets within it, has each of them")
  func largeClasses() throws {
    let members = (0..<1900).compactMap { Unicode.Scalar(0x4E00 + 2 * (($0 * 7) % 1900)) }.map { String($0) }
    for pattern in ["[\(members.joined())]", "[\(members.map { "[\($0)]" }.joined().prefix(3000))]"] {
      let expression = try RegularExpression(pattern, folding: .caseInsensitive)
      for (text, expected) in [(members[0], true), (members[900], true), ("\u{4E01}", false)] {
        let bytes = Array(text.utf8)
        let matches = expression.matches(bytes.span)
        #expect(matches == expected)
      }
    }
  }
}
