import JSONRPC

@testable import Records

/// Predicates over the fields of ``RandomRecords``: as text with arguments, and as trees.
struct RandomPredicates {
  var records: RandomRecords
  private var arguments: [String] = []

  init(_ records: RandomRecords) { self.records = records }

  mutating func predicate() throws -> Predicate {
    arguments = []
    let text = condition(depth: records.pick([0, 1, 1, 2, 2, 3]))
    let parsed = try Predicate(
      parsing: text, arguments: arguments.map { try JSON(parsing: $0) }, now: 1_790_000_000_000)
    guard records.one(in: 3) else { return parsed }
    // What stands in no text: a tree put together.
    let other = try Predicate(
      parsing: records.pick(["TRUEPREDICATE", "i > 1", "x != NULL", "b == YES OR i == 1"]))
    switch records.pick([0, 1, 2]) {
    case 0: return Predicate(root: .not(parsed.root))
    case 1: return Predicate(root: .and(Self.parts(parsed.root, of: true) + Self.parts(other.root, of: true)))
    default:
      return Predicate(root: .or(Self.parts(parsed.root, of: false) + Self.parts(other.root, of: false)))
    }
  }

  private static func parts(_ node: Predicate.Node, of isAnd: Bool) -> [Predicate.Node] {
    switch node {
    case .and(let parts) where isAnd: parts
    case .or(let parts) where !isAnd: parts
    default: [node]
    }
  }

  private mutating func condition(depth: Int) -> String {
    guard depth > 0 else { return comparison() }
    switch records.pick([0, 0, 0, 1, 1, 1, 2]) {
    case 0: return "(" + parts(depth).joined(separator: " AND ") + ")"
    case 1: return "(" + parts(depth).joined(separator: " OR ") + ")"
    default: return "NOT (" + condition(depth: depth - 1) + ")"
    }
  }

  private mutating func parts(_ depth: Int) -> [String] {
    (0..<records.pick([2, 2, 3])).map { _ in condition(depth: depth - records.pick([1, 1, 2])) }
  }

  private mutating func argument(_ json: String) -> String {
    arguments.append(json)
    return "%@"
  }

  /// A value of a field, now and then of another.
  private mutating func value(of field: String) -> String {
    var field = records.one(in: 12) ? records.pick(RandomRecords.values.map(\.field)) : field
    if records.one(in: 15) { return "NULL" }
    switch field {
    case "i": field = "n"
    case "o.a": return records.pick(["1", "'x'", "1.5", "2", "NULL"])
    case "o.s": return records.pick(["'a'", "'ab'", "'abc'"])
    case "recordName": return records.pick(["'1'", "'2'", "'x1'", "'K'", "5"])
    case "creationDate": return argument(#"{"$date":"2026-11-30T00:53:20.000Z"}"#)
    case "r.i", "tags.@count", "o.l.@count": return records.pick(["0", "1", "2", "3"])
    case "r.x", "missing", "refs.x": return records.pick(["'a'", "'ab'", "''"])
    case "tags": return records.pick(["'a'", "'b'", "'\u{e9}'", "'e\u{301}'", "'c'"])
    case "nums", "o.l", "o.l.k", "refs.i": return records.pick(["1", "2", "3", "'x'", "9007199254740993"])
    case "refs": field = "r"
    default: break
    }
    return argument(records.json(of: field))
  }

  private static let single = [
    "x", "x", "x", "i", "i", "i", "d", "d", "b", "b", "w", "y", "p", "r", "o", "o.a", "o.s", "r.i", "r.x",
    "tags.@count", "o.l.@count", "recordName", "creationDate", "missing", "tags",
  ]

  private mutating func comparison() -> String {
    switch records.pick([0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8]) {
    case 0: return plain()
    case 1: return among()
    case 2: return text()
    case 3: return quantified()
    case 4: return containing()
    case 5: return somewhere()
    case 6: return words()
    case 7: return records.pick(["TRUEPREDICATE", "FALSEPREDICATE"])
    default:
      return records.pick([
        "i + 1 > 2", "i == d", "d < i", "tags[FIRST] == 'a'", "nums[0] > 1", "x == r.x", "d * 2 == 3",
        "w > now() - 1000", "o.l[0] == 1",
      ])
    }
  }

  private mutating func plain() -> String {
    let field = records.pick(Self.single)
    let sign = records.pick(["==", "==", "==", "!=", "<", "<=", ">", ">="])
    let option = records.one(in: 8) ? records.pick(["[c]", "[d]", "[cd]"]) : ""
    let value = value(of: field)
    return records.one(in: 5) ? "\(value) \(sign)\(option) \(field)" : "\(field) \(sign)\(option) \(value)"
  }

  private mutating func among() -> String {
    let field = records.pick(Self.single)
    if records.one(in: 3) {
      return "\(field) BETWEEN {\(value(of: field)), \(value(of: field))}"
    }
    let values = (0..<records.pick([1, 2, 2, 3, 5])).map { _ in value(of: field) }
    return "\(field) IN\(records.one(in: 8) ? "[c]" : "") {\(values.joined(separator: ", "))}"
  }

  private mutating func text() -> String {
    let field = records.pick(["x", "x", "o.s", "recordName", "r.x"])
    let option = records.one(in: 5) ? records.pick(["[c]", "[cd]"]) : ""
    switch records.pick([0, 0, 1, 2, 3, 4]) {
    case 0:
      return "\(field) BEGINSWITH\(option) \(records.pick(["'a'", "'ab'", "''", "'e'", "'\u{e9}'", "'x'"]))"
    case 1: return "\(field) ENDSWITH\(option) 'b'"
    case 2:
      return
        "\(field) LIKE\(option) \(records.pick(["'a*'", "'a?'", "'*b'", "'a\\\\*c'", "'ab'", "'\u{e9}*'"]))"
    case 3:
      return
        "\(field) MATCHES\(option) \(records.pick(["'a.*'", "'ab?c?'", "'a|b'", "'[ae].*'", "'e.?'", "'one two'"]))"
    default: return "\(field) CONTAINS\(option) \(records.pick(["'a'", "'b'", "''"]))"
    }
  }

  private mutating func quantified() -> String {
    let field = records.pick(["tags", "tags", "nums", "refs", "o.l", "o.a", "x", "i", "o.l.k", "refs.i"])
    let quantifier = records.pick(["ANY", "ANY", "ANY", "ALL", "NONE"])
    switch records.pick([0, 0, 1, 2]) {
    case 0: return "\(quantifier) \(field) \(records.pick(["==", "==", "!=", "<", ">="])) \(value(of: field))"
    case 1: return "\(quantifier) \(field) IN {\(value(of: field)), \(value(of: field))}"
    default: return "\(quantifier) \(field) BEGINSWITH 'a'"
    }
  }

  private mutating func containing() -> String {
    let field = records.pick(["tags", "nums", "refs", "o.l", "x", "i", "missing"])
    let value = value(of: field)
    return records.one(in: 2) ? "\(field) CONTAINS \(value)" : "\(value) IN \(field)"
  }

  private mutating func somewhere() -> String {
    let place = argument(records.json(of: "p"))
    switch records.pick([0, 1, 2, 3]) {
    case 0:
      let sign = records.pick(["<", "<=", ">", "=="])
      return
        "distanceToLocation:fromLocation:(p, \(place)) \(sign) \(records.pick(["0", "8000", "3000000", "-1"]))"
    case 1:
      arguments.removeLast()
      return
        "p WITHIN BOX(\(records.pick(["40, 0, 60, 20", "-90, 170, 90, -170", "50.85, 4.35, 50.85, 4.35"])))"
    case 2:
      arguments.removeLast()
      return "p WITHIN POLYGON(40, 0, 60, 0, 60, 20, 40, 20)"
    default: return "10000 > distanceToLocation:fromLocation:(\(place), p)"
    }
  }

  private mutating func words() -> String {
    records.pick([
      "SELF CONTAINS 'one'", "SELF CONTAINS 'three a'", "allTokens TOKENMATCHES 'two one'",
      "x TOKENMATCHES 'two'", "tags TOKENMATCHES 'b'", "SELF TOKENMATCHES[p] 'str'",
      "SELF CONTAINS '\u{d55c}'",
    ])
  }
}
