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

  /// A short cut to the answer of a comparison.
  private enum ShortCut {
    /// The field, as a place in ``fields``.
    case field(Int, PreparedTest)
    case systemKey(SystemKey, PreparedTest)
    case distance(Int, PreparedDistance)
  }

  /// An object, because copies of what it holds would cost more than the test.
  private final class Test: Sendable {
    let comparison: Predicate.Comparison
    let shortCut: ShortCut?
    /// The right side, when it is constant.
    let right: Operand?
    let pattern: PreparedPattern?

    init(_ comparison: Predicate.Comparison, _ shortCut: ShortCut?) {
      self.comparison = comparison
      self.shortCut = shortCut
      right = comparison.right.constantOperand
      pattern = PreparedPattern(comparison)
    }
  }

  private var steps: [Step] = []
  private var tests: [Test] = []
  /// The fields that prepared tests look at, none twice.
  private var fields: [String] = []
  /// Whether fields are looked at otherwise.
  private var usesFields = false
  private var places: [FieldName: Int] = [:]

  /// Comparisons that it may come to.
  var numberOfTests: Int { tests.count }

  init(_ root: Predicate.Node) {
    add(root)
    places = [:]
  }

  /// Records of more bytes than this are long: whoever waits may have it ended between two tests.
  private static let longRecord = 16 << 10

  func matches(
    _ record: StoredRecord, resolver: (any RecordResolver)?, isStopped: (() -> Bool)?
  ) -> Bool {
    let isStopped = record.body.bytes.count > Self.longRecord ? isStopped : nil
    let all = usesFields || !fields.isEmpty ? record.body["fields"] : nil
    let values = FieldValues(all, fields)
    var result = true
    var next = 0
    while next < steps.count {
      switch steps[next] {
      case .set(let truth): result = truth
      case .test(let index):
        if let isStopped, isStopped() { return false }
        result = holds(tests[index], record, values, resolver)
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

  private func holds(
    _ test: Test, _ record: StoredRecord, _ values: FieldValues, _ resolver: (any RecordResolver)?
  ) -> Bool {
    switch test.shortCut {
    case .field(let place, let prepared):
      if let holds = prepared.holds(values[place], of: record) { return holds }
    case .systemKey(let key, let prepared):
      if let holds = prepared.holds(record.json(of: key), of: record) { return holds }
    case .distance(let place, let prepared): return prepared.holds(values[place])
    case nil: break
    }
    let comparison = test.comparison
    let view = RecordView(record, fields: values.fields, resolver: resolver)
    return comparison.holds(
      comparison.left.operand(in: view), test.right ?? comparison.right.operand(in: view), in: view,
      pattern: test.pattern)
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
    if case .path(let path) = comparison.left, path.components.count == 1, !path.countsElements,
      path.systemKey?.isText ?? true, let prepared = PreparedTest(comparison)
    {
      guard let key = path.systemKey else {
        return Test(comparison, .field(place(ofField: path.root), prepared))
      }
      return Test(comparison, .systemKey(key, prepared))
    }
    if let prepared = PreparedDistance(comparison) {
      return Test(comparison, .distance(place(ofField: prepared.path.root), prepared))
    }
    usesFields = true
    return Test(comparison, nil)
  }

  private mutating func place(ofField name: String) -> Int {
    if let place = places[FieldName(name)] { return place }
    fields.append(name)
    places[FieldName(name)] = fields.count - 1
    return fields.count - 1
  }
}

/// The JSON of the fields of a record that a predicate asks for.
private struct FieldValues {
  /// Looked for one by one, when they are few.
  let fields: JSON?
  private let names: [String]
  /// Found in one go, when they are many.
  private let found: [JSON?]

  init(_ fields: JSON?, _ names: [String]) {
    self.fields = fields
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
