import ArgumentParsing
import JSONRPC

/// `key=value`, a string, or `key:=json`, any JSON value.
struct Assignment {
  let key: String
  let value: JSONNode

  /// The file that a text names which begins with an @; for who takes one.
  var path: String? {
    if case .string(let text) = value, text.hasPrefix("@") { String(text.dropFirst()) } else { nil }
  }

  /// - Throws: `UsageError` that names the word.
  init(parsing word: String) throws(UsageError) {
    guard let equals = word.firstIndex(of: "=") else {
      throw UsageError("'\(word)' is no assignment: write key=value, or key:=json for a JSON value")
    }
    let head = word[..<equals]
    let text = word[word.index(after: equals)...]
    let isJSON = head.last == ":"
    key = String(isJSON ? head.dropLast() : head)
    guard !key.isEmpty else { throw UsageError("'\(word)' has no key before its '='") }
    guard isJSON else {
      value = .string(String(text))
      return
    }
    do throws(JSONSyntaxError) {
      value = .json(try JSON(parsing: String(text)))
    } catch {
      throw UsageError(
        "the value of '\(key)' is not JSON (\(error.message)); write \(key)=\(text) for a string")
    }
  }
}
