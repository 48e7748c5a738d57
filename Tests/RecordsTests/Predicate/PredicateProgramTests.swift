import JSONRPC
import Testing

@testable import Records

struct PredicateProgramTests {
  @Test(
    "short cuts and the definition agree on generated records and predicates",
    arguments: [11, 12, 13] as [UInt64])
  func agreement(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let records = (0..<30).map { record($0, using: &generator) }
    for _ in 0..<200 {
      let predicate = Predicate(root: node(depth: 3, using: &generator))
      for record in records {
        #expect(
          predicate.matches(record) == predicate.matchesByDefinition(record),
          "\(predicate.text) \(record.body.text)")
      }
    }
  }

  @Test("NOT is the exact complement, != of ==", arguments: [14] as [UInt64])
  func complements(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let records = (0..<30).map { record($0, using: &generator) }
    for _ in 0..<200 {
      var comparison = comparison(using: &generator)
      let holds = Predicate(root: .comparison(comparison))
      let not = Predicate(root: .not(.comparison(comparison)))
      comparison.operation = .equal
      comparison.quantifier = nil
      let equal = Predicate(root: .comparison(comparison))
      comparison.operation = .notEqual
      let unequal = Predicate(root: .comparison(comparison))
      for record in records {
        #expect(holds.matches(record) != not.matches(record), "\(holds.text) \(record.body.text)")
        #expect(equal.matches(record) != unequal.matches(record), "\(equal.text) \(record.body.text)")
      }
    }
  }

  @Test("a damaged body reads as missing and nothing traps")
  func damagedBodies() throws {
    let predicate = try Predicate(
      parsing:
        "a == 1 OR b CONTAINS 'x' OR ANY c > 2 OR d.e LIKE '*' OR creationDate > %@ OR recordName == 'r'",
      arguments: [try JSON(parsing: #"{"$date":"2026-01-01T00:00:00Z"}"#)])
    let whole = Array(
      #"{"recordName":"r","created":{"timestamp":1},"fields":{"a":1,"b":"xé\u00e9","c":[1,{"$date":"2"}],"d":{"e":""}}}"#
        .utf8)
    for end in whole.indices {
      _ = predicate.matches(StoredRecord(body: JSON(unchecked: Array(whole[..<end]))))
      var damaged = whole
      damaged[end] = 0xFF
      _ = predicate.matches(StoredRecord(body: JSON(unchecked: damaged)))
      damaged[end] = UInt8(ascii: "\"")
      _ = predicate.matches(StoredRecord(body: JSON(unchecked: damaged)))
    }
  }

  private static let fields = ["a", "b", "c", "list", "object"]

  private func record(_ index: Int, using generator: inout SplitMix64) -> StoredRecord {
    let stamp = Stamp(timestamp: Int64(index), userRecordName: "_1000")
    var body = RecordBody(recordType: "Item", recordName: "r\(index)", created: stamp, modified: stamp)
    var changes: [RecordDraft.Field] = []
    for name in Self.fields where Bool.random(using: &generator) {
      let value: FieldValue =
        switch name {
        case "list":
          .list((0..<Int.random(in: 0...3, using: &generator)).map { _ in scalar(using: &generator) })
        case "object":
          .object(
            JSON(unchecked: Array(#"{"n":1,"t":"a","l":[1,null,"a",[2]],"o":[{"n":1},{"t":"é"}]}"#.utf8)))
        default: SampleValues.random(using: &generator)
        }
      changes.append(.init(name: name, change: .set(value)))
    }
    do { try body.apply(changes, replacing: true, typeOf: { _ in nil }) } catch { Issue.record(error) }
    return body.stored()
  }

  private func scalar(using generator: inout SplitMix64) -> FieldValue {
    while true {
      let value = SampleValues.random(using: &generator)
      if case .list = value { continue }
      return value
    }
  }

  private func node(depth: Int, using generator: inout SplitMix64) -> Predicate.Node {
    switch Int.random(in: 0..<(depth > 0 ? 5 : 1), using: &generator) {
    case 1: .not(node(depth: depth - 1, using: &generator))
    case 2: .and((0..<3).map { _ in node(depth: depth - 1, using: &generator) })
    case 3: .or((0..<3).map { _ in node(depth: depth - 1, using: &generator) })
    case 4: .constant(Bool.random(using: &generator))
    default: .comparison(comparison(using: &generator))
    }
  }

  private func comparison(using generator: inout SplitMix64) -> Predicate.Comparison {
    let operations = Predicate.Operation.allCases.filter { $0 != .within }
    let operation = operations.randomElement(using: &generator) ?? .equal
    let right: Predicate.Expression =
      switch operation {
      case .between: .list([constant(using: &generator), constant(using: &generator)])
      case .in where Bool.random(using: &generator):
        .list((0..<3).map { _ in constant(using: &generator) })
      case .in: .value(.string(SampleValues.randomText(using: &generator)))
      default:
        Int.random(in: 0..<8, using: &generator) == 0 ? path(using: &generator) : constant(using: &generator)
      }
    let quantifiers: [Predicate.Quantifier?] = [nil, nil, nil, .anyElement, .allElements, .noElement]
    return Predicate.Comparison(
      path(using: &generator), operation, right,
      folding: TextFolding(rawValue: UInt8.random(in: 0...3, using: &generator)),
      quantifier: quantifiers.randomElement(using: &generator) ?? nil)
  }

  private func constant(using generator: inout SplitMix64) -> Predicate.Expression {
    .value(Int.random(in: 0..<8, using: &generator) == 0 ? nil : scalar(using: &generator))
  }

  private func path(using generator: inout SplitMix64) -> Predicate.Expression {
    let paths =
      Self.fields + [
        "recordName", "creationDate", "creatorUserRecordID", "object.n", "object.t", "object.l", "object.o.n",
        "object.o.t", "list.@count", "object.l.@count", "missing", "a.recordName", "a.latitude",
      ]
    return FieldPath(paths.randomElement(using: &generator) ?? "a").map { .path($0) } ?? .value(nil)
  }
}
