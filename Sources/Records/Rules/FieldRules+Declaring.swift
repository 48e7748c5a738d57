public import JSONRPC

extension FieldRules {
  /// What is declared of one rule: its value as JSON, or null to take it away.
  public struct Change: Sendable, Equatable {
    public var rule: Rule
    public var value: JSON

    public init(_ rule: Rule, _ value: JSON) {
      self.rule = rule
      self.value = value
    }
  }

  /// The rules with what is declared of some of them, for a field of `type`; the others stay.
  ///
  /// Throws `invalidArguments` for a rule that such a field can't have, or that leaves it no value.
  public func declaring(
    _ changes: [Change], field: String, type: FieldType
  ) throws(RecordError) -> FieldRules {
    var rules = self
    do throws(Fault) {
      for change in changes { try rules.set(change.rule, change.value, type) }
      try rules.agree()
    } catch {
      throw RecordError(
        .invalidArguments, "the field '\(field)' of type \(type): \(error.message)",
        details: [
          .init(name: "parameter", text: "recordType"), .init(name: "field", text: field),
          .init(name: "rule", text: error.rule.rawValue),
        ])
    }
    return rules
  }

  /// Why a rule can't be.
  struct Fault: Error {
    var rule: Rule
    var message: String
  }

  mutating func set(_ rule: Rule, _ json: JSON, _ type: FieldType) throws(Fault) {
    switch rule {
    case .required: isRequired = try Self.truth(rule, json)
    case .unique: isUnique = try Self.truth(rule, json)
    case .default: standard = try Self.value(rule, json, of: type)
    case .min, .max:
      let bound = try Self.bound(rule, json, type)
      if rule == .min { minimum = bound } else { maximum = bound }
    case .pattern: pattern = try Self.pattern(json, type)
    case .merge: merge = try Self.merge(json, type)
    }
  }

  private static func truth(_ rule: Rule, _ json: JSON) throws(Fault) -> Bool {
    if json.isNull { return false }
    guard let truth = json.boolValue else {
      throw Fault(rule: rule, message: "\(rule.rawValue) must be true or false")
    }
    return truth
  }

  private static func value(_ rule: Rule, _ json: JSON, of type: FieldType) throws(Fault) -> FieldValue? {
    let value: FieldValue?
    do {
      value = try FieldValue(json: json)
    } catch {
      throw Fault(rule: rule, message: "\(rule.rawValue): \(error.message)")
    }
    guard let value else { return nil }
    guard let adopted = type.adopt(value) else {
      throw Fault(
        rule: rule, message: "\(rule.rawValue) must be of type \(type), and \(json.text.prefix(40)) is not")
    }
    return adopted
  }

  private static func bound(_ rule: Rule, _ json: JSON, _ type: FieldType) throws(Fault) -> FieldValue? {
    if json.isNull { return nil }
    guard [.int64, .double, .date, .string].contains(type.element) else {
      throw Fault(rule: rule, message: "only numbers, dates and text have a \(rule.rawValue)")
    }
    return try value(rule, json, of: FieldType(type.element))
  }

  private static func pattern(_ json: JSON, _ type: FieldType) throws(Fault) -> RegularExpression? {
    if json.isNull { return nil }
    guard type.element == .string else {
      throw Fault(rule: .pattern, message: "only text has a pattern")
    }
    guard let text = json.stringValue else {
      throw Fault(rule: .pattern, message: "pattern must be a regular expression, as a string")
    }
    do throws(RegularExpression.SyntaxError) {
      return try RegularExpression(text, folding: [])
    } catch {
      let problem = error.problem ?? "it can't be read"
      throw Fault(
        rule: .pattern,
        message: "pattern, column \(error.offset + 1): \(problem); expected was \(error.expected)")
    }
  }

  private static func merge(_ json: JSON, _ type: FieldType) throws(Fault) -> MergePolicy? {
    if json.isNull { return nil }
    guard let policy = json.stringValue.flatMap(MergePolicy.init(rawValue:)) else {
      let words = MergePolicy.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      throw Fault(rule: .merge, message: "merge must be one of \(words)")
    }
    guard policy.fits(type) else {
      throw Fault(rule: .merge, message: "'\(policy.rawValue)' can't merge such values")
    }
    return policy
  }

  /// That the rules go together.
  private func agree() throws(Fault) {
    if let minimum, let maximum, minimum.order(to: maximum) == .after {
      throw Fault(rule: .min, message: "min is greater than max")
    }
    guard let standard else { return }
    if let violation = violation(of: standard) {
      throw Fault(rule: .default, message: "default breaks the rule '\(violation.rule.rawValue)'")
    }
    if isUnique { throw Fault(rule: .default, message: "default and unique exclude each other") }
  }
}

extension FieldRules {
  /// The rules for a field that gets another type, and the names of those that it can't have there: their values
  /// are converted as the field's are.
  public func converted(to type: FieldType) -> (rules: FieldRules, dropped: [Rule]) {
    let element = FieldType(type.element)
    var rules = self
    rules.standard = standard?.value(as: type)
    rules.minimum = minimum?.value(as: element)
    rules.maximum = maximum?.value(as: element)
    if type.element != .string { rules.pattern = nil }
    if rules.merge?.fits(type) == false { rules.merge = nil }
    let isOrdered = [.int64, .double, .date, .string].contains(type.element)
    if !isOrdered || !keepsOrder(to: type) { (rules.minimum, rules.maximum) = (nil, nil) }
    if let standard = rules.standard, rules.violation(of: standard) != nil { rules.standard = nil }
    let gone: [(Rule, Bool)] = [
      (.default, standard != nil && rules.standard == nil), (.min, minimum != nil && rules.minimum == nil),
      (.max, maximum != nil && rules.maximum == nil), (.pattern, pattern != nil && rules.pattern == nil),
      (.merge, merge != nil && rules.merge == nil),
    ]
    return (rules, gone.filter(\.1).map(\.0))
  }

  /// Whether the bounds say the same of converted values: text is not in the order of what it spells.
  private func keepsOrder(to type: FieldType) -> Bool {
    [minimum, maximum].compactMap { $0 }.allSatisfy { ($0.element == .string) == (type.element == .string) }
  }
}

extension FieldValue {
  fileprivate func value(as type: FieldType) -> FieldValue? {
    if case .value(let value) = converted(to: type) { value } else { nil }
  }
}
