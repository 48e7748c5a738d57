import JSONRPC
import Records

extension TypeDeclarations.RecordType {
  /// What declares a record type as `fetchSchema` describes it; nil when there is nothing to declare.
  ///
  /// - Parameter withDefaults: Also what records get that are made without a field.
  init?(described type: JSON, withDefaults: Bool = true) {
    guard let name = type["name"]?.stringValue else { return nil }
    self.name = name
    let described = type["fields"].map { Array($0.elements) } ?? []
    var members: [(String, JSONNode)] = [("name", .string(name))]
    let fields = described.compactMap { field in
      field["name"]?.stringValue.map { ($0, Self.declaration(of: field, withDefaults)) }
    }
    if !fields.isEmpty { members.append(("fields", .object(fields))) }
    let indexes = (type["indexes"].map { Array($0.elements) } ?? []).filter { index in
      index["origin"]?.isString("declared") == true && !Self.isOfField(index, described)
    }
    if !indexes.isEmpty { members.append(("indexes", .array(indexes.compactMap(Self.declaration)))) }
    if type["automaticIndexes"]?.boolValue == false { members.append(("automaticIndexes", false)) }
    guard members.count > 1 else { return nil }
    node = .object(members)
  }

  /// What declares the defaults of a described type alone; nil when it has none.
  init?(defaultsOf type: JSON) {
    guard let name = type["name"]?.stringValue else { return nil }
    let fields = (type["fields"].map { Array($0.elements) } ?? []).compactMap {
      field -> (String, JSONNode)? in
      guard let name = field["name"]?.stringValue, let value = field["default"] else { return nil }
      return (name, .object([("default", .json(value))]))
    }
    guard !fields.isEmpty else { return nil }
    self.name = name
    node = .object([("name", .string(name)), ("fields", .object(fields))])
  }

  private static func declaration(of field: JSON, _ withDefaults: Bool) -> JSONNode {
    let rules = FieldRules.Rule.allCases.filter { withDefaults || $0 != .default }
    let names = ["type", "indexes", "collation"] + rules.map(\.rawValue)
    return .object(names.compactMap { name in field[name].map { (name, .json($0)) } })
  }

  private static func declaration(of index: JSON) -> JSONNode? {
    // There is one of all texts that are to be searched.
    guard let keys = index["keys"], keys.elements.contains(where: { _ in true }) else { return nil }
    var members: [(String, JSONNode)] = [("keys", .json(keys))]
    if index["kind"]?.isString("elements") == true { members.append(("kind", "elements")) }
    if let collation = index["collation"] { members.append(("collation", .json(collation))) }
    return .object(members)
  }

  /// Whether the index is there because of what its field is declared to be.
  private static func isOfField(_ index: JSON, _ fields: [JSON]) -> Bool {
    let keys = index["keys"]?.elements.compactMap(\.stringValue) ?? []
    guard keys.count == 1,
      let field = fields.first(where: { $0["name"]?.stringValue?.hasSameUTF8(as: keys[0]) ?? false })
    else { return false }
    let uses = Set(field["indexes"]?.elements.compactMap(\.stringValue) ?? [])
    if index["kind"]?.isString("elements") == true { return uses.contains("queryable") }
    let isPlain = index["collation"] == nil
    return (uses.contains("sortable") && index["collation"] == field["collation"])
      || (isPlain && (uses.contains("queryable") || field["unique"]?.boolValue == true))
  }
}
