import ArgumentParsing
import JSONRPC

/// What to work out of each group, as typed: `count`, `sum:size`, or with a name `total=sum:size`.
struct AggregateTerm: Equatable {
  static let functions = ["count", "sum", "avg", "min", "max"]

  let function: String
  /// Nil for `count` of the records themselves.
  let key: String?
  /// Its name in the result; what was typed where none was given.
  let name: String

  /// - Throws: `UsageError` that names the word.
  init(parsing word: String) throws(UsageError) {
    var text = word[...]
    var name = word
    if let equals = word.firstIndex(of: "=") {
      name = String(word[..<equals])
      text = word[word.index(after: equals)...]
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard Self.functions.contains(parts[0]), !name.isEmpty, parts.count == 1 || !parts[1].isEmpty else {
      throw UsageError(
        "'\(word)' is no aggregate: write count, or FUNCTION:KEY with one of "
          + Self.functions.joined(separator: ", ") + ", and NAME= before it to name it")
    }
    guard parts.count == 2 || parts[0] == "count" else {
      throw UsageError("'\(word)' needs a key: \(word):KEY")
    }
    function = parts[0]
    key = parts.count == 2 ? parts[1] : nil
    self.name = name
  }

  var node: JSONNode {
    var members: [(String, JSONNode)] = [("function", .string(function))]
    if let key { members.append(("key", .string(key))) }
    members.append(("name", .string(name)))
    return .object(members)
  }
}
