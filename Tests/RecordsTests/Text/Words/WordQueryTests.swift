import JSONRPC
import Testing

@testable import Records

struct WordQueryTests {
  private static func query(_ text: String, _ mode: WordQuery.Mode = .allTerms, prefixes: Bool = false)
    -> WordQuery
  {
    WordQuery(text, mode: mode, matchesPrefixes: prefixes)!
  }

  private static func record(_ fields: String) throws -> StoredRecord {
    StoredRecord(body: try JSON(parsing: #"{"recordType":"T","recordName":"word","fields":\#(fields)}"#))
  }

  @Test(
    "a term is found where its words stand together",
    arguments: [
      ("multi-agent", "a Multi agent system", true), ("multi-agent", "agent multi", false),
      ("multi-agent", "multi user agent", false), ("20.04", "Ubuntu 20.04 LTS", true),
      ("20.04", "20 and 04", false),
      ("who's", "WHO’S THERE", true), ("who", "who's", true), ("whos", "who's", false),
      ("@nasa", "from nasa", true),
      ("nasa", "@NASA", true), ("AND", "sand and sea", true), ("AND", "sand", false), ("NEAR", "near", true),
      ("a*", "a", true), ("a*", "ab", false), ("NOT x", "x", false), ("\"a b\"", "b a", true),
      ("c0:x", "x c0", false),
      ("résumé", "RESUME\u{301}", true), ("straße", "STRASSE 5", true), ("ΟΔΟΣ", "οδός", true),
      ("Мир", "миру мир", true),
      ("中", "学中文", true), ("中文", "学中文的人", true), ("文中", "学中文的人", false), ("日本", "日、本", true),
      ("サーバ", "Webサーバーの", true), ("ｻｰﾊﾞ", "サーバー", true), ("서버", "서버를 재시작", true), ("버서", "서버를", false),
      ("ไทย", "ภาษาไทยง่าย", true), ("محمد", "مُحَمَّد", true), ("👍", "👍🏽!", true), ("👍🏽", "👍", true),
      ("🇩🇪", "🇨🇩🇪🇸", false), ("❤", "I❤️NY", true), ("€", "5€", true), ("a b", "b\na", true), ("aa", "a a", false),
    ] as [(String, String, Bool)])
  func terms(operand: String, text: String, isFound: Bool) {
    #expect(Self.query(operand).matches([text]) == isFound)
  }

  @Test(
    "prefixes are those of the last word of a term",
    arguments: [
      ("multi-ag", "multi agents", true), ("mul-agent", "multi agent", false), ("li", "Linux", true),
      ("li", "ali", false),
      ("linux", "lin", false), ("20.0", "20.04", true), ("ag mu", "multi agents", true), ("中", "中文", true),
      ("stras", "Straße", true), ("a*", "ab", true), ("🇩", "🇩🇪", true),
    ] as [(String, String, Bool)])
  func prefixes(operand: String, text: String, isFound: Bool) {
    #expect(Self.query(operand, prefixes: true).matches([text]) == isFound)
  }

  @Test("any term, or all of them in any of the texts")
  func modes() {
    let texts = ["red apple", "green pear"]
    #expect(Self.query("apple pear").matches(texts))
    #expect(!Self.query("apple plum").matches(texts))
    #expect(Self.query("apple plum", .anyTerm).matches(texts))
    #expect(!Self.query("plum cherry", .anyTerm).matches(texts))
    #expect(!Self.query("apple-green").matches(texts))
    #expect(Self.query("apple - \" apple").matches(texts))
  }

  @Test("a query without any word matches nothing", arguments: ["", " ", "\"", "- * ( )", "\u{200D}"])
  func empty(text: String) {
    for mode in [WordQuery.Mode.anyTerm, .allTerms] {
      for prefixes in [false, true] {
        let query = Self.query(text, mode, prefixes: prefixes)
        #expect(query.isEmpty)
        #expect(!query.matches([text, "a", ""]))
      }
    }
  }

  @Test("a record's texts are its fields that are text or lists of text, and nothing else of it")
  func records() throws {
    let record = try Self.record(
      #"{"n":1,"a":"one two","l":["three","four"],"d":{"$date":"2026-01-01T00:00:00Z"},"o":{"x":"five"},"r":{"$ref":"six"},"e":[]}"#
    )
    for word in ["one", "two", "three", "four", "one-two", "four two"] {
      #expect(Self.query(word).matches(record))
    }
    for word in ["five", "six", "word", "a", "n", "1", "2026", "two-three", "three-four"] {
      #expect(!Self.query(word).matches(record))
    }
    #expect(Self.query("three four").matches(record.json(ofField: "l")))
    #expect(!Self.query("one").matches(record.json(ofField: "l")))
    #expect(!Self.query("one").matches(nil as JSON?))
  }

  @Test("there may be a thousand words, and not one more")
  func limit() {
    let words = (0..<1000).map { "w\($0)" }
    let all = words.joined(separator: " ")
    #expect(Self.query(all).matches(words.reversed()))
    #expect(!Self.query(all).matches(words.dropLast()))
    #expect(Self.query(words.joined(separator: "-")).matches([all]))
    #expect(!Self.query(words.joined(separator: "-")).matches([words.reversed().joined(separator: " ")]))
    #expect(WordQuery(all + " more", mode: .anyTerm) == nil)
    #expect(WordQuery(String(repeating: "a", count: 1_000_000), mode: .anyTerm) != nil)
  }

  @Test("queries are equal that ask for the same")
  func equality() {
    #expect(Self.query("A b") == Self.query("a  B"))
    #expect(Self.query("a b") != Self.query("a-b"))
    #expect(Self.query("a b") != Self.query("a b", .anyTerm))
    #expect(Self.query("a b") != Self.query("a b", prefixes: true))
  }

  /// The definition: terms looked for one by one, at every word.
  private static func holds(_ query: WordQuery, _ texts: [String]) -> Bool {
    let texts = texts.map(Words.words(of:))
    func isFound(_ term: [String]) -> Bool {
      texts.contains { words in
        words.indices.contains { start in
          guard start + term.count <= words.count else { return false }
          let stretch = words[start..<start + term.count]
          guard query.matchesPrefixes, let last = stretch.last, let sought = term.last else {
            return stretch.elementsEqual(term)
          }
          return stretch.dropLast().elementsEqual(term.dropLast()) && last.utf8.starts(with: sought.utf8)
        }
      }
    }
    guard !query.terms.isEmpty else { return false }
    return query.mode == .anyTerm ? query.terms.contains(where: isFound) : query.terms.allSatisfy(isFound)
  }

  @Test("random queries match random texts as defined", arguments: [3, 40, 200])
  func definition(maximumTerms: Int) {
    var generator = SplitMix64(seed: UInt64(maximumTerms))
    let parts = ["a", "ab", "abc", "b", "A", "ä", "中", "文", "-", ".", " ", "  ", "ba", "x", "👍", "\""]
    func text(_ length: Int) -> String {
      (0..<Int.random(in: 0...length, using: &generator)).map { _ in parts.randomElement(using: &generator)! }
        .joined()
    }
    var matches = 0
    for _ in 0..<3000 / maximumTerms {
      let operand = (0..<Int.random(in: 1...maximumTerms, using: &generator)).map { _ in text(5) }.joined(
        separator: " ")
      for mode in [WordQuery.Mode.anyTerm, .allTerms] {
        for prefixes in [false, true] {
          let query = Self.query(operand, mode, prefixes: prefixes)
          let texts = (0..<3).map { _ in text(20) }
          let holds = Self.holds(query, texts)
          matches += holds ? 1 : 0
          #expect(query.matches(texts) == holds, "\(operand) \(texts)")
        }
      }
    }
    #expect(matches > 10)
  }
}
