import ArgumentParsing
import JSONRPC
import Records

/// The options of `declare` that change fields which a type has.
enum FieldChangeOptions {
  static let options = [
    Option("rename", takes: "OLD=NEW", "Give a field another name, in every record", isRepeatable: true),
    Option(
      "retype", takes: "FIELD=TYPE",
      "Give a field another type, by its name after renaming, and convert its values",
      isRepeatable: true),
    Option("drop", takes: "FIELD", "Take a field out of every record", isRepeatable: true),
    Option("accept-loss", "Lose what is dropped and what can't be converted"),
    Option("dry-run", letter: "n", "Only tell what would be done, lost or refused"),
  ]

  /// The parameters of `saveRecordType` beside the declaration.
  static func parameters(_ arguments: Arguments) throws(UsageError) -> [(String, JSONNode)] {
    var parameters: [(String, JSONNode)] = []
    var changes: [(String, JSONNode)] = []
    var renamed: [(String, JSONNode)] = []
    for word in arguments.values("rename") {
      let (old, new) = try FieldRuleOptions.pair(word, "rename")
      renamed.append((old, .string(new)))
    }
    var retyped: [(String, JSONNode)] = []
    for word in arguments.values("retype") {
      let (field, type) = try FieldRuleOptions.pair(word, "retype")
      retyped.append((field, .string(try FieldDeclaration.type(type, in: word).name)))
    }
    for (option, members) in [("rename", renamed), ("retype", retyped)] where !members.isEmpty {
      guard Set(members.map(\.0)).count == members.count else {
        throw UsageError("--\(option) names a field twice")
      }
      changes.append((option, .object(members)))
    }
    let dropped = arguments.values("drop")
    if !dropped.isEmpty { changes.append(("drop", .array(dropped.map { .string($0) }))) }
    if !changes.isEmpty { parameters.append(("changes", .object(changes))) }
    if arguments.has("dry-run") { parameters.append(("dryRun", true)) }
    if arguments.has("accept-loss") { parameters.append(("acceptLoss", true)) }
    return parameters
  }
}
