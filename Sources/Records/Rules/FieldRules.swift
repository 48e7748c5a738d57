public import JSONRPC

/// What is demanded of the values of a field, beside their type, and what becomes of missing and conflicting ones.
public struct FieldRules: Sendable, Equatable {
  /// The names of the rules, in the order in which they are told.
  public enum Rule: String, Sendable, CaseIterable {
    case required, unique, `default`, min, max, pattern, merge
  }

  /// The field may not be missing.
  public internal(set) var isRequired = false
  /// No two records of the type, in whatever zones, have equal values. Any number may have none.
  public internal(set) var isUnique = false
  /// What a record gets that is made, or replaced, without the field.
  public internal(set) var standard: FieldValue?
  /// The least value, and the greatest: of numbers and dates as such, of text by code point. Elements of a list are
  /// held to them one by one, and so are they to ``pattern``.
  public internal(set) var minimum: FieldValue?
  public internal(set) var maximum: FieldValue?
  /// What a text must be, from its first character to its last.
  public internal(set) var pattern: RegularExpression?
  /// What becomes of a value that two clients changed.
  public internal(set) var merge: MergePolicy?

  /// None.
  public init() {}

  public var isEmpty: Bool { self == FieldRules() }

  /// Whether the store's own values may break one of them.
  public var areChecked: Bool {
    isRequired || isUnique || minimum != nil || maximum != nil || pattern != nil
  }
}

extension FieldRules {
  /// Demands it no longer.
  public mutating func drop(_ rule: Rule) {
    switch rule {
    case .required: isRequired = false
    case .unique: isUnique = false
    case .default: standard = nil
    case .min: minimum = nil
    case .max: maximum = nil
    case .pattern: pattern = nil
    case .merge: merge = nil
    }
  }
}

// MARK: - Checking

extension FieldRules {
  /// How a value breaks a rule.
  public struct Violation: Sendable, Equatable {
    public var rule: Rule
    /// The value at fault, of a list the element; nil when it is missing.
    public var value: FieldValue?
    /// What it should have kept to; nil where the rule has nothing of the kind.
    public var bound: FieldValue?

    public init(rule: Rule, value: FieldValue? = nil, bound: FieldValue? = nil) {
      self.rule = rule
      self.value = value
      self.bound = bound
    }
  }

  /// Whether a value may not be the field's; of what concerns this one record alone, so `unique` is not looked at.
  public func violation(of value: FieldValue?) -> Violation? {
    guard let value else { return isRequired ? Violation(rule: .required) : nil }
    guard minimum != nil || maximum != nil || pattern != nil else { return nil }
    guard case .list(let elements) = value else { return violation(ofSingle: value) }
    for element in elements {
      if let violation = violation(ofSingle: element) { return violation }
    }
    return nil
  }

  private func violation(ofSingle value: FieldValue) -> Violation? {
    if let minimum, value.order(to: minimum) == .before {
      return Violation(rule: .min, value: value, bound: minimum)
    }
    if let maximum, value.order(to: maximum) == .after {
      return Violation(rule: .max, value: value, bound: maximum)
    }
    if let pattern, case .string(let text) = value,
      !pattern.matches(pattern.folding.folded(text).span)
    {
      return Violation(rule: .pattern, value: value, bound: .string(pattern.pattern))
    }
    return nil
  }
}

extension FieldRules.Violation {
  /// The refusal of a save. A long value is left out of it: who sent it has it.
  public func error(field: String) -> RecordError {
    var details = [
      RecordError.Detail(name: "field", text: field), RecordError.Detail(name: "rule", text: rule.rawValue),
    ]
    if let value, let json = value.shortJSON { details.append(.init(name: "value", json: json)) }
    if let bound { details.append(.init(name: "bound", json: Array(bound.json.bytes))) }
    return RecordError(.constraintViolation, "field '\(field)' \(demand)", details: details)
  }

  /// As in "field 'x' must not be missing".
  private var demand: String {
    let bound = bound.map(\.json.text) ?? ""
    return switch rule {
    case .min: "must be \(bound) at least"
    case .max: "must be \(bound) at most"
    case .pattern: "must match the pattern \(bound)"
    case .unique: "must have a value of its own"
    case .required, .default, .merge: "must not be missing"
    }
  }
}

extension FieldValue {
  /// The value's JSON; nil when it is too long to be repeated in a message.
  public var shortJSON: [UInt8]? {
    let bytes = json.bytes
    return bytes.count <= 1024 ? Array(bytes) : nil
  }
}

// MARK: - JSON

extension FieldRules {
  /// From the JSON object that ``json`` is, for a field of `type`; what can't be understood is left out.
  public init(stored json: JSON, type: FieldType) {
    self.init()
    for member in json.members {
      guard let rule = Rule(rawValue: member.name) else { continue }
      try? set(rule, member.value, type)
    }
  }

  /// An object with a member for each rule.
  public var json: JSON {
    var writer = JSONWriter()
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
    return JSON(unchecked: writer.bytes)
  }

  /// Appends a member for each rule to an object.
  public func writeMembers(to writer: inout JSONWriter) {
    for (rule, isOn) in [(Rule.required, isRequired), (.unique, isUnique)] where isOn {
      writer.key(rule.rawValue)
      writer.bool(true)
    }
    for (rule, value) in [(Rule.default, standard), (.min, minimum), (.max, maximum)] {
      guard let value else { continue }
      writer.key(rule.rawValue)
      value.write(to: &writer)
    }
    for (rule, text) in [(Rule.pattern, pattern?.pattern), (.merge, merge?.rawValue)] {
      guard let text else { continue }
      writer.key(rule.rawValue)
      writer.string(text)
    }
  }
}

extension FieldRules {
  /// Whether values that these other rules allow may break one of these.
  public func demandsMore(than other: FieldRules) -> Bool {
    (isRequired && !other.isRequired) || (isUnique && !other.isUnique)
      || (minimum != nil && minimum != other.minimum) || (maximum != nil && maximum != other.maximum)
      || (pattern != nil && pattern != other.pattern)
  }
}
