import JSONRPC
import Testing

@testable import Records

struct PredicateCorpusTests {
  @Test("each case of the corpus has the outcome that it names", arguments: try PredicateCorpus.cases())
  func outcome(of example: PredicateCorpus.Case) throws {
    switch example.outcome {
    case .names(let names):
      let predicate = try example.parsed()
      let matching = example.records.filter { predicate.matches($0, resolver: example.resolver) }
      #expect(matching.map(\.recordName) == names)
    case .column(let column):
      let error = #expect(throws: RecordError.self) {
        try example.parsed()
      }
      let detail = error?.details.first { $0.name == "column" }
      #expect(
        detail.map { String(decoding: $0.json, as: UTF8.self) } == "\(column)", "\(error?.message ?? "")")
    }
  }

  @Test("short cuts and the definition agree on each case", arguments: try PredicateCorpus.cases())
  func agreement(on example: PredicateCorpus.Case) throws {
    guard case .names = example.outcome else { return }
    let predicate = try example.parsed()
    for record in example.records {
      let holds = predicate.matches(record, resolver: example.resolver)
      #expect(
        holds == predicate.matchesByDefinition(record, resolver: example.resolver), "\(record.recordName)")
    }
  }

  @Test("the canonical text reads back as the same predicate", arguments: try PredicateCorpus.cases())
  func canonicalText(of example: PredicateCorpus.Case) throws {
    guard case .names = example.outcome else { return }
    let predicate = try example.parsed()
    // Values without a literal (places, references, …) are shown as %@ and their JSON.
    guard !predicate.text.contains("%@") else { return }
    #expect(try Predicate(parsing: predicate.text) == predicate)
  }

  @Test("the corpus is large")
  func size() throws {
    #expect(try PredicateCorpus.cases().count >= 650)
  }
}
