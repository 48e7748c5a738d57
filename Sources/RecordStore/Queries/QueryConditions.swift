internal import Records

/// What a predicate demands of single keys in every record that matches: necessary, not sufficient. The
/// evaluator decides; this only narrows down what it looks at.
struct QueryConditions {
  /// The `SortKey` that the value there must have.
  private(set) var equal: [FieldPath: [UInt8]] = [:]
  /// The `SortKey`s that the value there may have: from the first, below the second.
  private(set) var ranges: [FieldPath: (from: [UInt8], below: [UInt8])] = [:]
  /// The names that the record may have.
  private(set) var names: [String]?

  init(_ predicate: Predicate) {
    switch predicate.root {
    case .and(let parts):
      for case .comparison(let comparison) in parts { note(comparison) }
    case .comparison(let comparison): note(comparison)
    default: break
    }
  }

  private mutating func note(_ comparison: Predicate.Comparison) {
    guard comparison.quantifier == nil, comparison.folding.isEmpty else { return }
    switch (comparison.left, comparison.right) {
    case (.path(let path), .value(let value)): note(path, comparison.operation, value)
    case (.value(let value), .path(let path)):
      if let operation = comparison.operation.mirrored { note(path, operation, value) }
    case (.path(let path), .list(let elements)): note(path, comparison.operation, elements)
    default: break
    }
  }

  private mutating func note(_ path: FieldPath, _ operation: Predicate.Operation, _ value: FieldValue?) {
    guard let value else {
      if operation == .equal { equal[path] = [0] }
      return
    }
    let key = SortKey.key(of: value)
    let kind = Array(key.prefix(1))
    switch operation {
    case .equal:
      equal[path] = key
      if case .string(let name) = value, path.isRecordName { restrict(toNames: [name]) }
    case .less, .lessOrEqual:
      // The end of the prefix covers the value itself; the evaluator sorts out the bound.
      narrow(path, from: kind, below: SortKey.end(ofPrefix: key))
    case .greater, .greaterOrEqual: narrow(path, from: key, below: SortKey.end(ofPrefix: kind))
    case .beginsWith:
      guard case .string(let text) = value else { return }
      let prefix = SortKey.prefix(ofTextsBeginningWith: text)
      narrow(path, from: prefix, below: SortKey.end(ofPrefix: prefix))
    case .between, .in:
      if case .list(let elements) = value { note(path, operation, elements.map { .value($0) }) }
    default: break
    }
  }

  private mutating func note(
    _ path: FieldPath, _ operation: Predicate.Operation, _ elements: [Predicate.Expression]
  ) {
    var values: [FieldValue] = []
    for element in elements {
      guard case .value(let value?) = element else { return }
      values.append(value)
    }
    switch operation {
    case .between where values.count == 2:
      narrow(
        path, from: SortKey.key(of: values[0]), below: SortKey.end(ofPrefix: SortKey.key(of: values[1])))
    case .in where path.isRecordName:
      var names: [String] = []
      for value in values {
        if case .string(let name) = value { names.append(name) }
      }
      restrict(toNames: names)
    default: break
    }
  }

  private mutating func narrow(_ path: FieldPath, from: [UInt8], below: [UInt8]?) {
    guard let below else { return }
    guard let known = ranges[path] else {
      ranges[path] = (from, below)
      return
    }
    ranges[path] = (
      known.from.lexicographicallyPrecedes(from) ? from : known.from,
      known.below.lexicographicallyPrecedes(below) ? known.below : below
    )
  }

  /// Names are kept by their bytes, while a predicate takes canonically equivalent texts for one: only names
  /// that no other text is equivalent to can be looked up. `K`, `;` and the grave accent each have a
  /// double (U+212A, U+037E, U+1FEF).
  private mutating func restrict(toNames names: [String]) {
    guard names.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 && $0 != 0x4B && $0 != 0x3B && $0 != 0x60 } })
    else { return }
    let sorted = Set(names).sorted()
    if let known = self.names, known.count <= sorted.count { return }
    self.names = sorted
  }
}

extension FieldPath {
  fileprivate var isRecordName: Bool { systemKey == .recordName && components.count == 1 && !countsElements }
}

extension Predicate.Operation {
  /// The operation that says the same with its sides exchanged.
  fileprivate var mirrored: Predicate.Operation? {
    switch self {
    case .equal: .equal
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: nil
    }
  }
}
