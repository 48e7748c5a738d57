internal import Records

/// Comparisons in a predicate whose constant is of a type that the field's values never compare with: whoever
/// wrote `age > '20'` is told so, since that finds nothing and is no error.
struct TypeMismatches {
  private let fields: [Name: FieldType]
  /// Sentences without a point, each once, in the order of the predicate.
  private(set) var sentences: [String] = []

  /// More are not told.
  private static let maximum = 3
  /// Levels of AND, OR and NOT that are looked into.
  private static let maximumDepth = 20

  init(_ predicate: Predicate, fields: [Name: FieldType]) {
    self.fields = fields
    look(at: predicate.root, depth: 0)
  }

  private mutating func look(at node: Predicate.Node, depth: Int) {
    guard depth < Self.maximumDepth, sentences.count < Self.maximum else { return }
    switch node {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { look(at: part, depth: depth + 1) }
    case .not(let inner): look(at: inner, depth: depth + 1)
    case .comparison(let comparison):
      guard let test = PathTest(comparison), let sentence = sentence(test),
        !sentences.contains(sentence), sentences.count < Self.maximum
      else { return }
      sentences.append(sentence)
    }
  }

  private func sentence(_ test: PathTest) -> String? {
    guard test.path.isField, let type = type(of: test.path) else { return nil }
    let isOfElements = test.comparison.quantifier != nil || test.operation == .contains && type.isList
    let element = type.element.valueKind
    guard let wrong = wrongKind(test, accepted: type.isList && !isOfElements ? .list : element) else {
      return nil
    }
    let whole = "'\(test.path)' is \(type.withArticle) and never compares with \(wrong.withArticle)"
    guard type.isList, !isOfElements, wrong == element else { return whole }
    return whole + "; ANY looks at its elements"
  }

  private func type(of path: FieldPath) -> FieldType? {
    switch path.systemKey {
    case .creationDate?, .modificationDate?: FieldType(.date)
    case .recordName?, .recordType?, .zoneName?, .recordChangeTag?, .creatorUserRecordID?,
      .lastModifiedUserRecordID?:
      FieldType(.string)
    case nil: fields[Name(path.root)]
    }
  }

  /// The kind of the constant, when values of the kind `accepted` compare with none such; nil when they do, or
  /// where that is not certain.
  private func wrongKind(_ test: PathTest, accepted: ValueKind) -> ValueKind? {
    switch test.operation {
    case .notEqual, .containsWords, .matchesWords, .within: return nil
    default: break
    }
    let constants: [Predicate.Expression]
    switch (test.operation, test.constant) {
    case (.in, .list(let elements)), (.between, .list(let elements)): constants = elements
    case (_, .value): constants = [test.constant]
    default: return nil
    }
    var wrong: ValueKind?
    for constant in constants {
      guard case .value(let value) = constant else { return nil }
      // Null is looked for in fields of all types.
      guard let kind = value.map(ValueKind.init) else { return nil }
      if kind == accepted { return nil }
      wrong = wrong ?? kind
    }
    return wrong
  }
}

/// Values that compare with each other.
private enum ValueKind: String {
  case boolean, number, date, text, bytes, location, reference, asset, list, object

  init(_ value: FieldValue) {
    self =
      switch value {
      case .boolean: .boolean
      case .int64, .double: .number
      case .date: .date
      case .string: .text
      case .bytes: .bytes
      case .location: .location
      case .reference: .reference
      case .asset: .asset
      case .list: .list
      case .object: .object
      }
  }

  var withArticle: String {
    switch self {
    case .bytes: rawValue
    case .asset, .object: "an \(rawValue)"
    default: "a \(rawValue)"
    }
  }
}

extension FieldType.Element {
  fileprivate var valueKind: ValueKind {
    switch self {
    case .string: .text
    case .int64, .double: .number
    case .boolean: .boolean
    case .date: .date
    case .bytes: .bytes
    case .location: .location
    case .reference: .reference
    case .asset: .asset
    case .object: .object
    }
  }
}

extension FieldType {
  fileprivate var withArticle: String {
    if isList { return "a \(name)" }
    return switch element {
    case .bytes: "bytes"
    case .int64, .asset, .object: "an \(name)"
    default: "a \(name)"
    }
  }
}
