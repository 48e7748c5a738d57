import Testing

@testable import Records

struct LikePatternTests {
  @Test("patterns match what the rule says, by trying all ways", arguments: [1, 2] as [UInt64])
  func agreesWithTheRule(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func random(_ letters: [String], _ count: Int) -> String {
      (0..<Int.random(in: 0...count, using: &generator)).map { _ in
        letters.randomElement(using: &generator) ?? ""
      }
      .joined()
    }
    for _ in 0..<4000 {
      let pattern = random(["a", "b", "é", "*", "?", "?"], 8)
      let text = random(["a", "b", "é"], 10)
      let matches = LikePattern(pattern, folding: [])?.matches(text)
      #expect(
        matches == rule(Array(pattern.unicodeScalars)[...], Array(text.unicodeScalars)[...]),
        "\(pattern) \(text)")
    }
  }

  private func rule(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return rule(pattern.dropFirst(), text) || !text.isEmpty && rule(pattern, text.dropFirst())
    }
    guard let letter = text.first, first == "?" || first == letter else { return false }
    return rule(pattern.dropFirst(), text.dropFirst())
  }

  @Test("parts of more than 64 code points with ? are found too")
  func longPart() {
    let part = String(repeating: "ab?", count: 60)
    let found = String(repeating: "abc", count: 60)
    let pattern = LikePattern("*\(part)d*", folding: [])
    #expect(pattern?.matches("ababx" + found + "dxx") == true)
    #expect(pattern?.matches("ababx" + found + "exx") == false)
  }

  @Test("a hostile pattern takes time in proportion to the text")
  func hostilePattern() throws {
    let text = String(repeating: "a", count: 50_000)
    let pattern = try #require(
      LikePattern(
        String(repeating: "*a?a", count: 200) + "*" + String(repeating: "a?", count: 100) + "b*", folding: [])
    )
    let clock = ContinuousClock()
    let time = clock.measure { #expect(!pattern.matches(text)) }
    // Backtracking would not end in a lifetime; a slow machine without optimization takes a second.
    #expect(time < .seconds(30))
  }

  @Test("a pattern that is too long is none")
  func tooLong() {
    #expect(LikePattern(String(repeating: "a", count: 1025), folding: []) == nil)
    #expect(LikePattern(String(repeating: "a", count: 1024), folding: []) != nil)
  }
}

extension LikePattern {
  fileprivate func matches(_ text: String) -> Bool { matches(text.utf8.span) }
}
