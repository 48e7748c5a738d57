import JSONRPC
import Testing

@testable import Records

struct PredicateMutationTests {
  private static let pieces: [String] = [
    "(", ")", "{", "}", "[", "]", "'", "\"", "\\", ",", ".", "%@", "%K", "%", "$x", "@count", "#", "`", "==",
    "!=", "<",
    "!", "&&", "||", "-", "1", "1.5", "e9", "AND", "OR", "NOT", "IN", "ANY", "BETWEEN", "LIKE", "NULL",
    "SELF", "é", "+", "*", "**", "/", "%%", "now()", "CAST(", "[0]", "[LAST]", "MATCHES", "TOKENMATCHES",
    "allTokens",
    "distanceToLocation:fromLocation:(", "POLYGON(", ":", "'NSDate'", "[p]",
    "\u{301}", "👩‍👩‍👧", "\u{0}", " ", "\n", "[c]", "WITHIN BOX(",
  ]

  @Test(
    "damaged text is refused at a column of it, or read to a tree whose text reads back",
    arguments: [21] as [UInt64])
  func mutations(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let record = StoredRecord(
      body: JSON(
        unchecked: Array(
          #"{"recordName":"a","fields":{"n":1,"t":"x","tags":["x"],"list":{"$reference":{"recordName":"a"}}}}"#
            .utf8)))
    let resolver = KnownRecords([record])
    for example in try PredicateCorpus.cases() {
      for _ in 0..<10 {
        let text = mutated(example.predicate, using: &generator)
        do throws(RecordError) {
          let predicate = try Predicate(
            parsing: text, arguments: example.arguments, variables: example.variables)
          #expect(
            predicate.matches(record, resolver: resolver)
              == predicate.matchesByDefinition(record, resolver: resolver), "\(text)")
          guard !predicate.text.contains("%@") else { continue }
          #expect((try? Predicate(parsing: predicate.text)) == predicate, "\(text)")
        } catch {
          let column = error.details.first.flatMap { Int(String(decoding: $0.json, as: UTF8.self)) }
          #expect(column.map { (1...text.count + 1).contains($0) } == true, "\(text) \(error.message)")
        }
      }
    }
  }

  private func mutated(_ text: String, using generator: inout SplitMix64) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = Int.random(in: 0...scalars.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0 where place < scalars.count: scalars.remove(at: place)
      case 1 where place < scalars.count:
        scalars.swapAt(place, Int.random(in: 0..<scalars.count, using: &generator))
      default:
        let piece = Self.pieces.randomElement(using: &generator) ?? ""
        scalars.insert(contentsOf: piece.unicodeScalars, at: place)
      }
    }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
