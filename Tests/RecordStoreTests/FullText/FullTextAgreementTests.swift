import Records
import Testing

@testable import RecordStore

struct FullTextAgreementTests {
  private static let parts = [
    "alpha", "alp", "beta", "Beta", "bet", "gamma", "é", "e\u{301}", "Straße", "strasse", "20", "04", ".",
    "-", "'", "·", "\\\"",
    "中", "文", "中文", "サ", "ー", "ｻ", "서", "버", "를", "ภ", "า", "👍", "👍🏽", "€", "мир", "МИР", "\u{200D}", "\\n",
    "*", "AND", "NEAR(", "c0:",
  ]

  private static func text(_ length: Int, _ generator: inout Generator) -> String {
    (0..<Int.random(in: 0...length, using: &generator)).map { _ in
      parts.randomElement(using: &generator)! + (Bool.random(using: &generator) ? " " : "")
    }.joined()
  }

  private static func fields(_ generator: inout Generator) -> String {
    var fields: [String] = []
    for name in ["a", "b", "é", "l", "m"] where Int.random(in: 0..<3, using: &generator) > 0 {
      let texts = (0..<Int.random(in: 0...3, using: &generator)).map { _ in "\"\(text(6, &generator))\"" }
      fields.append(
        "\"\(name)\":"
          + (name > "k" && name < "z" ? "[\(texts.joined(separator: ","))]" : texts.first ?? "null"))
    }
    return "{\(fields.shuffled(using: &generator).joined(separator: ","))}"
  }

  private static func condition(_ generator: inout Generator) -> FullTextCondition {
    let operand = text(4, &generator).replacing("\\n", with: "\n").replacing("\\\"", with: "\"")
    let query = WordQuery(
      operand, mode: Bool.random(using: &generator) ? .anyTerm : .allTerms,
      matchesPrefixes: Bool.random(using: &generator))!
    return FullTextCondition(
      query, field: ["a", "l", "é", "none", nil, nil, nil].randomElement(using: &generator)!)
  }

  @Test(
    "the index finds what the evaluator does, and looks at nothing else, whatever is written",
    arguments: 1...4)
  func agreement(seed: Int) throws {
    let store = try FullTextFixture()
    var generator = Generator(seed: UInt64(seed))
    var found = 0
    for round in 0..<60 {
      for _ in 0..<5 {
        let row = Int64.random(in: 1...60, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: try store.delete(row)
        case 1: try store.undo { try store.save(row, Self.fields(&generator)) }
        default: try store.save(row, Self.fields(&generator))
        }
      }
      for _ in 0..<10 {
        let conditions = (0...Int.random(in: 0...1, using: &generator)).map { _ in Self.condition(&generator)
        }
        let matches = store.records.filter { _, record in conditions.allSatisfy { $0.holds(for: record) } }
        let rows = try store.rows(conditions)
        #expect(rows == matches.keys.sorted(), "\(round): \(conditions)")
        found += rows.count
      }
    }
    #expect(found > 200)
    for row in store.records.keys { try store.delete(row) }
    #expect(try store.vocabulary() == [])
  }
}
