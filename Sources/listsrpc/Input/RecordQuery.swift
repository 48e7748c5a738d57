import ArgumentParsing
import JSONRPC

/// What the verbs that read many records select them by.
struct RecordQuery {
  var recordType: String
  var predicate: String?
  var arguments: [JSONNode] = []
  var variables: [(String, JSONNode)] = []
  /// CloudKit's filters, in place of a predicate.
  var filterBy: JSONNode?
  var sortKeys: [SortKey] = []
  var desiredKeys: [String]?
  var zoneName: String?
  var sectionNameKey: String?
  var sectionIndexTitle: String?
  /// Key paths to references whose records are to come along.
  var include: [String] = []
  /// The index title to begin at.
  var fromIndexTitle: String?
  var explains = false

  /// The options that say which records are meant.
  static let filterOptions = [
    Option("where", letter: "w", takes: "PREDICATE", "Only records that match, such as 'quantity > 3'"),
    Option(
      "arg", takes: "TEXT", "The text for the next %@ or %K of the predicate; needs no quoting",
      isRepeatable: true),
    Option("arg-json", takes: "JSON", "The JSON value for the next %@ of the predicate", isRepeatable: true),
    Option(
      "var", takes: "ASSIGNMENT", "What $name of the predicate stands for: name=text, or name:=json",
      isRepeatable: true),
    Option(
      "filter-by", takes: "JSON", "CloudKit's filters, one or a list, in place of a predicate"),
    Option("zone", letter: "z", takes: "NAME", "Only records of this zone"),
  ]

  static let fieldsOption = Option(
    "fields", letter: "f", takes: "LIST", "Only these fields, with commas between them")

  static let sortOption = Option(
    "sort", letter: "s", takes: "KEYS",
    "Sort by these keys: 'name', '-name' for descending, 'name:localized' as a person expects, "
      + "'shop:near=50.85,4.35' by the distance from a latitude and longitude, "
      + "':nullsFirst' and ':nullsLast'", isRepeatable: true)

  static let includeOption = Option(
    "include", takes: "KEYS", "Also the records that these references lead to")

  static let sectionOption = Option(
    "section-by", takes: "KEY", "Group by this key; sorted by it unless --sort says otherwise")

  static let indexTitleStyles = Completion.choices(["firstLetter", "whole", "wholeUppercased"])

  static let explainOption = Option(
    "explain", "Print how the records are found, and none of them")

  init(_ arguments: Arguments, recordType: String) throws(UsageError) {
    self.recordType = recordType
    predicate = arguments.value("where")
    for (name, value) in arguments.values(of: ["arg", "arg-json"]) {
      guard name == "arg-json" else {
        self.arguments.append(.string(value))
        continue
      }
      do throws(JSONSyntaxError) {
        self.arguments.append(.json(try JSON(parsing: value)))
      } catch {
        throw UsageError("--arg-json takes JSON, not '\(value)' (\(error.message))")
      }
    }
    try readVariables(arguments.values("var"))
    if let text = arguments.value("filter-by") { try readFilters(text) }
    sortKeys = try SortKey.all(in: arguments.values("sort"))
    desiredKeys = arguments.value("fields").map(Self.list)
    zoneName = arguments.value("zone")
  }

  private mutating func readVariables(_ words: [String]) throws(UsageError) {
    for word in words {
      let variable = try Assignment(parsing: word)
      guard !variables.contains(where: { $0.0 == variable.key }) else {
        throw UsageError("the variable '\(variable.key)' is given twice")
      }
      variables.append((variable.key, variable.value))
    }
  }

  private mutating func readFilters(_ text: String) throws(UsageError) {
    guard predicate == nil else { throw UsageError("--where and --filter-by exclude each other") }
    do throws(JSONSyntaxError) {
      let json = try JSON(parsing: text)
      filterBy = json.kind == .object ? .array([.json(json)]) : .json(json)
    } catch {
      throw UsageError("--filter-by takes JSON, not '\(text)' (\(error.message))")
    }
  }

  /// The words between commas, without the spaces around them.
  static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { part in
      String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The parameters that every method which selects records has.
  var filterParameters: [(String, JSONNode)] {
    var members: [(String, JSONNode)] = [("recordType", .string(recordType))]
    if let predicate { members.append(("predicate", .string(predicate))) }
    if !arguments.isEmpty { members.append(("arguments", .array(arguments))) }
    if !variables.isEmpty { members.append(("variables", .object(variables))) }
    if let filterBy { members.append(("filterBy", filterBy)) }
    if let zoneName { members.append(("zoneName", .string(zoneName))) }
    if explains { members.append(("explain", true)) }
    return members
  }

  var parameters: [(String, JSONNode)] {
    var members = filterParameters
    if !sortKeys.isEmpty { members.append(("sortDescriptors", .array(sortKeys.map(\.node)))) }
    if let desiredKeys { members.append(("desiredKeys", .array(desiredKeys.map { .string($0) }))) }
    if let sectionNameKey { members.append(("sectionNameKey", .string(sectionNameKey))) }
    if let sectionIndexTitle { members.append(("sectionIndexTitle", .string(sectionIndexTitle))) }
    if !include.isEmpty { members.append(("include", .array(includedPaths.map { .string($0) }))) }
    return members
  }

  /// The paths to include with those on the way to them, which are needed to find what they lead to.
  var includedPaths: [String] {
    var paths: [String] = []
    for path in include {
      let names = path.split(separator: ".")
      for count in names.indices.map({ $0 + 1 }) {
        let beginning = names.prefix(count).joined(separator: ".")
        if !paths.contains(beginning) { paths.append(beginning) }
      }
    }
    return paths
  }
}
