import JSONRPC
import Testing

@testable import Records

/// Random records and predicates that ask for what is in them.
struct PredicateSamples {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  private mutating func isChosen(oneIn count: Int) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }

  private mutating func choose<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  // MARK: Records

  private static let fields = ["a", "b", "c", "n", "words", "due", "place", "list", "object", "ref", "refs"]

  /// Records that refer to each other, and to some that are not there.
  mutating func records(_ count: Int) -> [StoredRecord] { (0..<count).map { record($0, of: count) } }

  private mutating func record(_ index: Int, of count: Int) -> StoredRecord {
    let stamp = Stamp(timestamp: Int64(index), userRecordName: "_1000")
    var body = RecordBody(
      recordType: "Item", recordName: "r\(index)", zoneName: isChosen(oneIn: 4) ? "other" : "_defaultZone",
      recordChangeTag: "1", created: stamp, modified: stamp)
    var changes: [RecordDraft.Field] = []
    for name in Self.fields where !isChosen(oneIn: 3) {
      changes.append(.init(name: name, change: .set(value(ofField: name, count))))
    }
    do { try body.apply(changes, replacing: true, typeOf: { _ in nil }) } catch { Issue.record(error) }
    return body.stored()
  }

  private mutating func value(ofField name: String, _ count: Int) -> FieldValue {
    switch name {
    case "n": return isChosen(oneIn: 2) ? .int64(Int64.random(in: -3...9, using: &generator)) : .double(2.5)
    case "words": return .string(choose(Self.sentences))
    case "due": return .date(Int64.random(in: 0...3, using: &generator) * 1000)
    case "place": return choose(Self.places)
    case "list":
      let count = Int.random(in: 0...3, using: &generator)
      return .list((0..<count).map { _ in scalar() })
    case "object":
      return .object(
        JSON(unchecked: Array(#"{"n":1,"t":"a","l":[1,null,"a",[2]],"o":[{"n":1},{"t":"é"}]}"#.utf8)))
    case "ref": return .reference(reference(count))
    case "refs": return .list((0..<3).map { _ in .reference(reference(count)) })
    default: return SampleValues.random(using: &generator)
    }
  }

  private mutating func reference(_ count: Int) -> Reference {
    Reference(
      recordName: "r\(Int.random(in: 0...count, using: &generator))",
      zoneName: isChosen(oneIn: 3) ? "other" : nil)
  }

  private static let sentences = [
    "the multi-agent run of 20.04", "a", "The A-Team", "東京タワー", "run agent run", "Straße", "",
  ]

  private static let places = [
    SampleValues.location(0, 0), SampleValues.location(0, 180), SampleValues.location(0.001, -180),
    SampleValues.location(90, 7), SampleValues.location(50, 4), SampleValues.location(50.1, 4),
  ]

  private mutating func scalar() -> FieldValue {
    while true {
      let value = SampleValues.random(using: &generator)
      if case .list = value { continue }
      return value
    }
  }

  // MARK: Predicates

  mutating func node(depth: Int) -> Predicate.Node {
    switch Int.random(in: 0..<(depth > 0 ? 5 : 1), using: &generator) {
    case 1: .not(node(depth: depth - 1))
    case 2: .and((0..<3).map { _ in node(depth: depth - 1) })
    case 3: .or((0..<3).map { _ in node(depth: depth - 1) })
    case 4: .constant(Bool.random(using: &generator))
    default: .comparison(comparison())
    }
  }

  mutating func comparison() -> Predicate.Comparison {
    let operation = choose(Predicate.Operation.allCases)
    var left =
      operation == .containsWords || operation == .matchesWords && isChosen(oneIn: 2)
      ? .allText : expression()
    if operation == .within || isChosen(oneIn: 20) { left = .path(path(to: "place")) }
    if operation == .matches || operation == .like, isChosen(oneIn: 2) { left = .path(path(to: "words")) }
    return Predicate.Comparison(
      left, operation, right(of: operation),
      folding: TextFolding(rawValue: UInt8.random(in: 0...3, using: &generator)),
      matchesPrefixes: isChosen(oneIn: 2),
      quantifier: left == .allText ? nil : choose([nil, nil, nil, .anyElement, .allElements, .noElement]))
  }

  private mutating func right(of operation: Predicate.Operation) -> Predicate.Expression {
    switch operation {
    case .between: return .list([constant(), constant()])
    case .in where isChosen(oneIn: 2): return .list((0..<3).map { _ in constant() })
    case .in: return .value(.string(SampleValues.randomText(using: &generator)))
    case .within: return region()
    case .matches:
      return .value(
        .string(choose(["a.*", ".*", "", "[a-z ]+", "(?i)THE .*", ".*run.*", "\\p{L}+", "(a|a)*e?"])))
    case .containsWords, .matchesWords:
      return .value(
        .string(
          choose(["run", "a", "multi-agent 20.04", "agent run", "京", "東京 タワー", "\"", "strasse x", "tea"])))
    default: return isChosen(oneIn: 8) ? expression() : constant()
    }
  }

  private mutating func region() -> Predicate.Expression {
    let corners = [(-1.0, 179.0), (-1, -179), (1, -179), (1, 179)].compactMap {
      Location(latitude: $0.0, longitude: $0.1)
    }
    guard isChosen(oneIn: 2), let polygon = LocationPolygon(corners: corners) else {
      return LocationBox(southwest: corners[0], northeast: corners[2]).map { .box($0) } ?? .list([])
    }
    return .polygon(polygon)
  }

  private mutating func constant() -> Predicate.Expression {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: .value(nil)
    case 1: .value(.int64(Int64.random(in: -3...9, using: &generator)))
    default: .value(scalar())
    }
  }

  private mutating func expression() -> Predicate.Expression {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0:
      .arithmetic(
        choose(Predicate.ArithmeticOperation.allCases), .path(path(to: choose(["n", "due", "a"]))),
        choose([.value(.int64(2)), .value(.double(0.5)), .path(path(to: "n"))]))
    case 1: .distance(.path(path(to: "place")), .value(choose(Self.places)))
    case 2: .cast(.path(path(to: choose(["n", "due", "words"]))), choose(Predicate.CastType.allCases))
    case 3:
      .element(
        Predicate.ElementPath(
          FieldPath(choose(["list", "refs", "object.l", "refs.list"])) ?? path(to: "list"),
          choose([.first, .last, .index(1)]), rest: choose([[], [], ["n"], ["ref", "n"]])))
    default: .path(anyPath())
    }
  }

  private func path(to name: String) -> FieldPath {
    guard let path = FieldPath(name) else { fatalError("\(name) is no path") }
    return path
  }

  private mutating func anyPath() -> FieldPath {
    path(
      to: choose(
        Self.fields + [
          "recordName", "creationDate", "creatorUserRecordID", "object.n", "object.t", "object.l",
          "object.o.n", "object.o.t", "list.@count", "object.l.@count", "missing", "a.recordName",
          "place.latitude",
          "ref.n", "ref.ref.words", "refs.n", "refs.refs.n", "refs.recordName", "ref.recordName",
          "ref.creationDate", "refs.@count", "ref.refs.@count",
        ]))
  }
}
