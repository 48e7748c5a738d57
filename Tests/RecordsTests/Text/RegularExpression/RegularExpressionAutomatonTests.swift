import Testing

@testable import Records

struct RegularExpressionAutomatonTests {
  @Test(
    "patterns that make others backtrack for ever cost a step or two for each code point",
    arguments: [
      ("(a+)+b", false), ("(a|a)*", true), ("(.*)*x", false), ("(a*)*b", false), ("(a|aa)+b", false),
      ("(.*a){20}", true), ("(?:a?){30}a{30}a*", true), ("^(([a-z])+.)+[A-Z]([a-z])+$", false),
      ("(x+x+)+y|a*", true),
      (".*.*.*.*=.*", false), ("(a?){100}(a*)*", true),
    ])
  func catastrophicPatterns(pattern: String, matches: Bool) throws {
    let text = String(repeating: "a", count: 100_000)
    var automaton = try RegularExpression(pattern, folding: []).automaton
    #expect(automaton.matches(text) == matches)
    #expect(automaton.steps < 2 * 100_000 + 40_000, "\(automaton.steps)")
  }

  @Test("a pattern with more states than are kept costs bounded steps and still matches")
  func manyStates() throws {
    // Its deterministic automaton has 2^200 states.
    let pattern = "(a|b)*a(a|b){200}"
    var generator = SplitMix64(seed: 1)
    let letters = (0..<4000).map { _ in Bool.random(using: &generator) ? "a" : "b" }
    let text = letters.joined()
    var automaton = try RegularExpression(pattern, folding: []).automaton
    #expect(automaton.matches(text) == (letters[4000 - 201] == "a"))
    #expect(automaton.steps <= 4001 * automaton.size)
    // Once more with what is known by now.
    #expect(automaton.matches(text + "b") == (letters[4000 - 200] == "a"))
  }

  @Test("a pattern with more classes of characters than transitions are kept for matches too")
  func manyClasses() throws {
    let scalars = (0..<600).compactMap { Unicode.Scalar(0x4E00 + $0 * 2) }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    let expression = try RegularExpression("(" + String(text) + ")+", folding: [])
    #expect(expression.matches(String(text) + String(text)))
    #expect(!expression.matches(String(text) + "\u{4E01}"))
  }

  @Test("word boundaries and lines cost bounded steps as well")
  func assertions() throws {
    var automaton = try RegularExpression(#"(?m)(^\w+\b|\B.|$\n)*"#, folding: []).automaton
    let text = String(repeating: "ab cd\n", count: 5000)
    _ = automaton.matches(text)
    #expect(automaton.steps <= (text.utf8.count + 1) * automaton.size)
  }

  @Test("small patterns match what their definition says", arguments: 1...4 as ClosedRange<UInt64>)
  func agreesWithTheDefinition(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var matched = 0
    for _ in 0..<200 {
      let pattern = Definition.random(depth: 4, using: &generator)
      let expression = try RegularExpression(pattern.text, folding: [])
      for _ in 0..<12 {
        let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
          ["a", "b", "é", " ", "\n"].randomElement(using: &generator) ?? ""
        }.joined()
        let scalars = Array(text.unicodeScalars)
        let expected = pattern.ends(in: scalars, from: 0).contains(scalars.count)
        if expected { matched += 1 }
        #expect(expression.matches(text) == expected, "\(pattern.text) \(text.debugDescription)")
      }
    }
    #expect(matched > 50)
  }
}

/// A pattern, and all places where what it takes may end, by trying every way.
private indirect enum Definition {
  case scalar(Unicode.Scalar)
  case point
  case word, notWord
  case bracket(Set<Unicode.Scalar>, isNegated: Bool)
  case start, end, boundary, noBoundary
  case sequence([Definition])
  case alternatives([Definition])
  case repeated(Definition, Int, Int?)

  static func random(depth: Int, using generator: inout SplitMix64) -> Definition {
    switch Int.random(in: 0..<(depth > 0 ? 16 : 9), using: &generator) {
    case 0, 1: return .scalar("a")
    case 2: return .scalar("b")
    case 3: return .scalar("é")
    case 4: return .point
    case 5: return Bool.random(using: &generator) ? .word : .notWord
    case 6:
      return .bracket(
        Bool.random(using: &generator) ? ["a"] : ["b", "é", "\n"], isNegated: Bool.random(using: &generator))
    case 7: return [.start, .end, .boundary, .noBoundary].randomElement(using: &generator) ?? .start
    case 8: return .scalar(" ")
    case 9, 10, 11:
      return .sequence(
        (0...Int.random(in: 0...3, using: &generator)).map { _ in random(depth: depth - 1, using: &generator)
        })
    case 12, 13:
      return .alternatives(
        (0...Int.random(in: 1...2, using: &generator)).map { _ in random(depth: depth - 1, using: &generator)
        })
    default:
      let minimum = Int.random(in: 0...2, using: &generator)
      let maximum = Bool.random(using: &generator) ? nil : minimum + Int.random(in: 0...2, using: &generator)
      return .repeated(random(depth: depth - 1, using: &generator), minimum, maximum)
    }
  }

  var text: String {
    switch self {
    case .scalar(let scalar): String(scalar)
    case .point: "."
    case .word: #"\w"#
    case .notWord: #"\W"#
    case .bracket(let members, let isNegated):
      "[" + (isNegated ? "^" : "") + members.map { String($0) }.joined() + "]"
    case .start: "^"
    case .end: #"\z"#
    case .boundary: #"\b"#
    case .noBoundary: #"\B"#
    case .sequence(let parts): parts.map(\.text).joined()
    case .alternatives(let parts): "(" + parts.map(\.text).joined(separator: "|") + ")"
    case .repeated(let part, 0, nil): "(\(part.text))*"
    case .repeated(let part, let minimum, let maximum):
      "(?:\(part.text)){\(minimum),\(maximum.map { "\($0)" } ?? "")}"
    }
  }

  private static func isWord(_ text: [Unicode.Scalar], _ index: Int) -> Bool {
    text.indices.contains(index) && ["a", "b", "é"].contains(text[index])
  }

  func ends(in text: [Unicode.Scalar], from start: Int) -> Set<Int> {
    func one(_ matches: (Unicode.Scalar) -> Bool) -> Set<Int> {
      start < text.count && matches(text[start]) ? [start + 1] : []
    }
    let isBoundary = Self.isWord(text, start - 1) != Self.isWord(text, start)
    switch self {
    case .scalar(let scalar): return one { $0 == scalar }
    case .point: return one { $0 != "\n" }
    case .word: return one { _ in Self.isWord(text, start) }
    case .notWord: return one { _ in !Self.isWord(text, start) }
    case .bracket(let members, let isNegated): return one { members.contains($0) != isNegated }
    case .start: return start == 0 ? [start] : []
    case .end: return start == text.count ? [start] : []
    case .boundary: return isBoundary ? [start] : []
    case .noBoundary: return isBoundary ? [] : [start]
    case .sequence(let parts):
      return parts.reduce([start]) { starts, part in
        Set(starts.flatMap { part.ends(in: text, from: $0) })
      }
    case .alternatives(let parts): return Set(parts.flatMap { $0.ends(in: text, from: start) })
    case .repeated(let part, let minimum, let maximum):
      var ends: Set<Int> = minimum == 0 ? [start] : []
      var current: Set<Int> = [start]
      // More rounds than the text is long find nothing new.
      for round in 1...(maximum ?? minimum + text.count + 1) + 1 {
        if let maximum, round > maximum { break }
        current = Set(current.flatMap { part.ends(in: text, from: $0) })
        if round >= minimum { ends.formUnion(current) }
      }
      return ends
    }
  }
}

extension RegularExpression {
  func matches(_ text: String) -> Bool { matches(text.utf8.span) }
}

extension RegularExpressionAutomaton {
  mutating func matches(_ text: String) -> Bool { matches(text.utf8.span) }
}
