/// The spelling of names in predicates.
enum PredicateText {
  /// Words with a meaning of their own, in upper case. As the name of a field they are written in backquotes.
  static let reservedWords: Set<String> = [
    "ALL", "ALLTOKENS", "AND", "ANY", "BEGINSWITH", "BETWEEN", "CONTAINS", "ENDSWITH", "FALSE",
    "FALSEPREDICATE", "IN",
    "LIKE", "MATCHES", "NIL", "NO", "NONE", "NOT", "NULL", "OR", "SELF", "SOME", "TOKENMATCHES", "TRUE",
    "TRUEPREDICATE", "WITHIN", "YES",
  ]

  /// A name as it stands in a key path: in backquotes where it would not be read as one otherwise.
  static func name(_ name: String) -> String {
    let scalars = name.unicodeScalars
    if let first = scalars.first, first.startsName, scalars.allSatisfy(\.continuesName),
      !reservedWords.contains(name.uppercased())
    {
      return name
    }
    return "`" + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``") + "`"
  }
}
