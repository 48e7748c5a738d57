import ArgumentParsing
import JSONRPC
import Records

/// A field as typed: `name:string`, `name:string:queryable,sortable`, `name:string:sortable:localized`,
/// `tags:string-list:queryable`, `size:int64:none`.
struct FieldDeclaration: Equatable {
  static let indexes = ["queryable", "sortable", "searchable"]

  let name: String
  let type: FieldType
  /// Nil: those that it has stay.
  let indexes: [String]?
  let collation: String?

  /// - Throws: `UsageError` that names the word.
  init(parsing word: String) throws(UsageError) {
    var parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var collation: String?
    if parts.count > 2, let last = parts.last, ["localized", "codePoint"].contains(last) {
      collation = parts.removeLast()
    }
    guard (2...3).contains(parts.count), !parts[0].isEmpty else {
      throw UsageError(
        "'\(word)' declares no field: write NAME:TYPE, or NAME:TYPE:INDEXES such as name:string:queryable,sortable"
      )
    }
    type = try Self.type(parts[1], in: word)
    name = parts[0]
    self.collation = collation
    indexes = parts.count == 3 ? try Self.indexes(parts[2], in: word) : nil
  }

  /// `string`, and `string-list` as well as `list<string>`, which a shell wants in quotes.
  static func type(_ text: String, in word: String) throws(UsageError) -> FieldType {
    guard let type = type(text) else {
      let known = FieldType.Element.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("'\(text)' in '\(word)' is none of the types \(known), alone or with -list behind it")
    }
    return type
  }

  private static func type(_ text: String) -> FieldType? {
    guard text.hasSuffix("-list") else { return FieldType(name: text) }
    return FieldType.Element(rawValue: String(text.dropLast("-list".count))).map {
      FieldType($0, isList: true)
    }
  }

  private static func indexes(_ text: String, in word: String) throws(UsageError) -> [String] {
    if text == "none" { return [] }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if let other = names.first(where: { !indexes.contains($0) }) {
      throw UsageError("'\(other)' in '\(word)' is none of \(indexes.joined(separator: ", ")), none")
    }
    return names
  }

  /// The member of `fields`.
  var member: (String, JSONNode) {
    var members: [(String, JSONNode)] = [("type", .string(type.name))]
    if let indexes { members.append(("indexes", .array(indexes.map { .string($0) }))) }
    if let collation { members.append(("collation", .string(collation))) }
    return (name, .object(members))
  }
}
