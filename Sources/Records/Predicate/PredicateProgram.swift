import JSONRPC

/// A predicate made ready to be asked many times: straight steps with jumps over what is decided already.
struct PredicateProgram: Sendable {
  private enum Step: Sendable {
    case set(Bool)
    /// The index of a test.
    case test(Int)
    case invert
    /// To the step with that index, when the result so far is that.
    case jump(Int, when: Bool)
  }

  /// An object, because copies of what it holds would cost more than the test.
  private final class Test: Sendable {
    let comparison: Predicate.Comparison
    /// The fields of the paths on either side, as places in ``fields``.
    let left: Int?
    let right: Int?
    let prepared: PreparedTest?
    let systemKey: SystemKey?

    init(_ comparison: Predicate.Comparison, left: Int?, right: Int?) {
      self.comparison = comparison
      self.left = left
      self.right = right
      guard case .path(let path) = comparison.left, path.components.count == 1, !path.countsElements,
        path.systemKey?.isText ?? true
      else {
        prepared = nil
        systemKey = nil
        return
      }
      prepared = PreparedTest(comparison)
      systemKey = path.systemKey
    }
  }

  private var steps: [Step] = []
  private var tests: [Test] = []
  /// The fields that are asked for, none twice.
  private var fields: [String] = []
  private var places: [FieldName: Int] = [:]

  init(_ root: Predicate.Node) {
    add(root)
    places = [:]
  }

  func matches(_ record: StoredRecord) -> Bool {
    let values = FieldValues(record, fields)
    var result = true
    var next = 0
    while next < steps.count {
      switch steps[next] {
      case .set(let truth): result = truth
      case .test(let index): result = holds(tests[index], record, values)
      case .invert: result = !result
      case .jump(let target, let condition) where result == condition:
        next = target
        continue
      case .jump: break
      }
      next += 1
    }
    return result
  }

  private func holds(_ test: Test, _ record: StoredRecord, _ values: FieldValues) -> Bool {
    if let prepared = test.prepared {
      let json = test.left.map { values[$0] } ?? test.systemKey.flatMap(record.json(of:))
      if let holds = prepared.holds(json, of: record) { return holds }
    }
    let comparison = test.comparison
    return comparison.holds(
      comparison.left.operand(of: record, field: test.left.flatMap { values[$0] }),
      comparison.right.operand(of: record, field: test.right.flatMap { values[$0] }),
      inZone: record.zoneName)
  }

  // MARK: Making

  private mutating func add(_ node: Predicate.Node) {
    switch node {
    case .constant(let truth): steps.append(.set(truth))
    case .not(let inner):
      add(inner)
      steps.append(.invert)
    case .and(let parts): add(parts, decidedBy: false)
    case .or(let parts): add(parts, decidedBy: true)
    case .comparison(let comparison):
      tests.append(test(comparison))
      steps.append(.test(tests.count - 1))
    }
  }

  private mutating func add(_ parts: [Predicate.Node], decidedBy truth: Bool) {
    var jumps: [Int] = []
    for part in parts {
      add(part)
      jumps.append(steps.count)
      steps.append(.jump(0, when: truth))
    }
    for jump in jumps { steps[jump] = .jump(steps.count, when: truth) }
  }

  private mutating func test(_ comparison: Predicate.Comparison) -> Test {
    let left = place(of: comparison.left)
    let right = place(of: comparison.right)
    return Test(comparison, left: left, right: right)
  }

  private mutating func place(of expression: Predicate.Expression) -> Int? {
    guard case .path(let path) = expression, path.systemKey == nil else { return nil }
    if let place = places[FieldName(path.root)] { return place }
    fields.append(path.root)
    places[FieldName(path.root)] = fields.count - 1
    return fields.count - 1
  }
}

/// The JSON of the fields of a record that a predicate asks for.
private struct FieldValues {
  /// Looked for one by one, when they are few.
  private let fields: JSON?
  private let names: [String]
  /// Found in one go, when they are many.
  private let found: [JSON?]

  init(_ record: StoredRecord, _ names: [String]) {
    fields = names.isEmpty ? nil : record.body["fields"]
    self.names = names
    guard names.count > 4, let fields else {
      found = []
      return
    }
    var found = [JSON?](repeating: nil, count: names.count)
    for member in fields.members {
      for index in names.indices where found[index] == nil && member.isNamed(names[index]) {
        found[index] = member.value
        break
      }
    }
    self.found = found
  }

  subscript(_ place: Int) -> JSON? {
    found.isEmpty ? fields?[names[place]] : found[place]
  }
}

extension SystemKey {
  /// Whether its value is stored as a JSON string, and not a date made from a number.
  fileprivate var isText: Bool {
    switch self {
    case .creationDate, .modificationDate: false
    default: true
    }
  }
}

extension StoredRecord {
  /// The JSON of a system key whose value is text.
  fileprivate func json(of key: SystemKey) -> JSON? {
    switch key {
    case .creatorUserRecordID: body["created"]?["userRecordName"]
    case .lastModifiedUserRecordID: body["modified"]?["userRecordName"]
    case .recordName, .recordType, .zoneName, .recordChangeTag: body[key.rawValue]
    case .creationDate, .modificationDate: nil
    }
  }
}
