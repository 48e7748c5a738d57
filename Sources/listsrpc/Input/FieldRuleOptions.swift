import ArgumentParsing
import JSONRPC
import Records

/// The options of `declare` that give fields rules.
enum FieldRuleOptions {
  static let options = [
    Option("required", takes: "FIELD", "The field may not be missing", isRepeatable: true),
    Option(
      "unique", takes: "FIELD", "No two records of the type have the same value of the field",
      isRepeatable: true),
    Option(
      "default", takes: "FIELD=VALUE", "What a record gets that is made without the field", isRepeatable: true
    ),
    Option(
      "min", takes: "FIELD=VALUE", "The least value of a number, date or text; of a list of each element",
      isRepeatable: true),
    Option("max", takes: "FIELD=VALUE", "The greatest value", isRepeatable: true),
    Option(
      "pattern", takes: "FIELD=REGEX", "A regular expression that the whole text must match",
      isRepeatable: true),
    Option(
      "merge", takes: "FIELD=POLICY",
      "What becomes of values that two clients made of the same one: server, client, max, min, union or sum",
      isRepeatable: true),
    Option(
      "no-rule", takes: "FIELD=RULE", "Take a rule of a field away: required, unique, …", isRepeatable: true),
  ]

  /// Each rule that is given.
  static func rules(_ arguments: Arguments) throws(UsageError) -> [(field: String, rule: String, JSONNode)] {
    var rules: [(field: String, rule: String, JSONNode)] = []
    for (option, word) in arguments.values(of: Set(options.map(\.name))) {
      let rule = try rule(option, word)
      guard !rules.contains(where: { $0.field == rule.field && $0.rule == rule.rule }) else {
        throw UsageError("the field '\(rule.field)' is given the rule '\(rule.rule)' twice")
      }
      rules.append(rule)
    }
    return rules
  }

  private static func rule(
    _ option: String, _ word: String
  ) throws(UsageError) -> (field: String, rule: String, JSONNode) {
    switch FieldRules.Rule(rawValue: option) {
    case .required, .unique: return (word, option, true)
    case .default, .min, .max:
      let value = try Assignment(parsing: word)
      return (value.key, option, value.value)
    case .pattern, .merge:
      let (field, text) = try pair(word, option)
      return (field, option, .string(text))
    case nil:
      let (field, rule) = try pair(word, option)
      guard FieldRules.Rule(rawValue: rule) != nil else {
        let known = FieldRules.Rule.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("'\(rule)' in '\(word)' is none of the rules \(known)")
      }
      return (field, rule, .null)
    }
  }

  /// `left=right`, neither empty.
  static func pair(_ word: String, _ option: String) throws(UsageError) -> (String, String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw UsageError("--\(option) takes two words with '=' between them, not '\(word)'")
    }
    return (parts[0], parts[1])
  }
}
