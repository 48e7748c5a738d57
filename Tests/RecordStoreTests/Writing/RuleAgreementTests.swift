import Testing

@testable import RecordStore
@testable import Records

@Suite struct RuleAgreementTests {
  private static let rules: [CascadeModel.Rules] = [
    .init(required: ["r"], unique: ["u"], sums: ["n"]), .init(required: ["r"], sums: ["n"]),
    .init(unique: ["l", "u"]), .init(required: ["r"], unique: ["l"], sums: ["n"]),
  ]

  @Test(
    "references, rules, restores, merges and zones go together as a model has them, over random requests",
    arguments: 0..<8 as Range<UInt64>)
  func agreement(seed: UInt64) throws {
    var pair = try CascadePair(seed: seed + 1000, rules: Self.rules[Int(seed) % Self.rules.count])
    for request in 0..<150 {
      try pair.request()
      guard request % 10 == 9 else { continue }
      let problems = try pair.store.problems()
      #expect(problems == [], "seed \(seed), request \(request)")
      if !problems.isEmpty { break }
    }
    #expect(pair.outcomes["done", default: 0] > 3, "\(pair.outcomes)")
    #expect(pair.outcomes["constraintViolation", default: 0] > 1, "\(pair.outcomes)")
  }
}
