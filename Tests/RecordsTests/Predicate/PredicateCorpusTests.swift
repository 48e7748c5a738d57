import JSONRPC
import Testing

@testable import Records

struct PredicateCorpusTests {
  @Test("each case of the corpus has the outcome that it names", arguments: try PredicateCorpus.cases())
  func outcome(of example: PredicateCorpus.Case) throws {
    switch example.outcome {
    case .names(let names):
      let predicate = try Predicate(
        parsing: example.predicate, arguments: example.arguments, variables: example.variables)
      #expect(example.records.filter { predicate.matches($0) }.map(\.recordName) == names)
    case .column(let column):
      let error = #expect(throws: RecordError.self) {
        try Predicate(parsing: example.predicate, arguments: example.arguments, variables: example.variables)
      }
      let detail = error?.details.first { $0.name == "column" }
      #expect(
        detail.map { String(decoding: $0.json, as: UTF8.self) } == "\(column)", "\(error?.message ?? "")")
    }
  }

  @Test("short cuts and the definition agree on each case", arguments: try PredicateCorpus.cases())
  func agreement(on example: PredicateCorpus.Case) throws {
    guard case .names = example.outcome else { return }
    let predicate = try Predicate(
      parsing: example.predicate, arguments: example.arguments, variables: example.variables)
    for record in example.records {
      #expect(predicate.matches(record) == predicate.matchesByDefinition(record), "\(record.recordName)")
    }
  }

  @Test("the canonical text reads back as the same predicate", arguments: try PredicateCorpus.cases())
  func canonicalText(of example: PredicateCorpus.Case) throws {
    guard case .names = example.outcome else { return }
    let predicate = try Predicate(
      parsing: example.predicate, arguments: example.arguments, variables: example.variables)
    // Values without a literal (dates, references, …) are shown as %@ and their JSON.
    guard !predicate.text.contains("%@") else { return }
    #expect(try Predicate(parsing: predicate.text) == predicate)
  }

  @Test("the corpus is large")
  func size() throws {
    #expect(try PredicateCorpus.cases().count >= 120)
  }
}
