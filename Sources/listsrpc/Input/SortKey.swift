import ArgumentParsing
import JSONRPC

/// A sort descriptor as typed: `name`, `-name` (descending), `name:localized`, `-name:nullsLast`.
struct SortKey: Equatable {
  var key: String
  var isAscending = true
  var collation: String?
  var nulls: String?

  /// - Throws: `UsageError` that names the modifier.
  init(parsing text: String) throws(UsageError) {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var name = parts.removeFirst()
    if name.hasPrefix("-") || name.hasPrefix("+") {
      isAscending = name.hasPrefix("+")
      name.removeFirst()
    }
    guard !name.isEmpty else { throw UsageError("the sort key '\(text)' has no name") }
    key = name
    for modifier in parts {
      switch modifier {
      case "localized", "codePoint": collation = modifier
      case "nullsFirst": nulls = "first"
      case "nullsLast": nulls = "last"
      default:
        throw UsageError(
          "'\(modifier)' in the sort key '\(text)' is none of localized, codePoint, nullsFirst, nullsLast")
      }
    }
  }

  /// The keys of `--sort` options, each with one or several keys.
  static func all(in values: [String]) throws(UsageError) -> [SortKey] {
    var keys: [SortKey] = []
    for value in values {
      for part in value.split(separator: ",") { keys.append(try SortKey(parsing: String(part))) }
    }
    return keys
  }

  var node: JSONNode {
    var members: [(String, JSONNode)] = [("key", .string(key)), ("ascending", .bool(isAscending))]
    if let collation { members.append(("collation", .string(collation))) }
    if let nulls { members.append(("nulls", .string(nulls))) }
    return .object(members)
  }
}
