import JSONRPC
import Testing

@testable import RecordStore
@testable import Records

@Suite struct CascadeAgreementTests {
  @Test(
    "records, refusals and what is told of each commit are as a model has them, over random graphs and requests",
    arguments: 0..<8 as Range<UInt64>)
  func agreement(seed: UInt64) throws {
    var pair = try CascadePair(seed: seed)
    var count = 0
    while count < 150 || (pair.model.releases == 0 && count < 2000) {
      try pair.request()
      count += 1
    }
    #expect(pair.outcomes["done", default: 0] > 10)
    #expect(pair.outcomes["referenceViolation", default: 0] > 5)
    #expect(pair.model.releases > 0)
  }

  @Test(
    "whoever goes on from an earlier position is told each cascaded change once, with its cause",
    arguments: 0..<6 as Range<UInt64>)
  func replays(seed: UInt64) throws {
    var pair = try CascadePair(seed: seed + 100)
    var tokens = [try pair.store.reader.changeToken]
    for _ in 0..<120 {
      try pair.request()
      tokens.append(try pair.store.reader.changeToken)
    }
    let end = pair.model.commit
    for token in tokens {
      let start = Int(token.sequence)
      let page = try pair.store.reader.changes(after: token, limit: .max)
      pair.compare(page.changeSet.changes, after: start, upTo: end)
      let step = try pair.store.reader.changes(after: token, limit: .max, isStepwise: true)
      pair.compare(step.changeSet.changes, after: start, upTo: end)
      var query = ChangesQuery(since: ChangesCursor(token), resultsLimit: 3)
      var changes: [RecordChange] = []
      while true {
        let result = try #require(try pair.store.reader.changes(query, nanoseconds: .max))
        changes += result.changes
        query.since = result.cursor
        if !result.moreComing { break }
      }
      pair.compare(changes, after: start, upTo: end)
    }
  }
}
