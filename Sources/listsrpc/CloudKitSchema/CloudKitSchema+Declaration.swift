import JSONRPC
import Records

extension CloudKitSchema.RecordType {
  /// The parameter of `saveRecordType` that makes the record type as the text says.
  ///
  /// - Parameter existing: The record type as `fetchSchema` gives it; nil when there is none yet. Its indexes over
  ///   several keys, which the language has no words for, stay, and so does a boolean or an object that the text
  ///   calls by the type that stands for it in CloudKit.
  func declaration(over existing: JSON?) -> JSONNode {
    var members: [(String, JSONNode)] = [("name", .string(name))]
    if !fields.isEmpty {
      members.append(("fields", .object(fields.map { ($0.name, node(of: $0, existing)) })))
    }
    if let indexes = indexes(over: existing) { members.append(("indexes", .array(indexes))) }
    return .object(members)
  }

  private func node(of field: CloudKitSchema.Field, _ existing: JSON?) -> JSONNode {
    let known = existing?["fields"]?.elements.first { $0["name"]?.isString(field.name) ?? false }
    var members: [(String, JSONNode)] = []
    if !Self.stands(field.type, forKnown: known?["type"]?.stringValue.flatMap { FieldType(name: $0) }) {
      members.append(("type", .string(field.type.name)))
    }
    let options = CloudKitSchema.Option.allCases.filter(field.options.contains)
    members.append(("indexes", .array(options.map { .string($0.rawValue.lowercased()) })))
    if field.options.contains(.sortable), let collation = known?["collation"] {
      members.append(("collation", .json(collation)))
    }
    return .object(members)
  }

  private static func stands(_ type: FieldType, forKnown known: FieldType?) -> Bool {
    guard let known, known.isList == type.isList, [.boolean, .object].contains(known.element) else {
      return false
    }
    return CloudKitSchema.word(for: known.element) == CloudKitSchema.word(for: type.element)
  }

  /// The indexes over system fields that the text wants, with the declared ones that it says nothing of; nil where
  /// there are none to change.
  private func indexes(over existing: JSON?) -> [JSONNode]? {
    let wanted = CloudKitSchema.SystemField.allCases.filter { field in
      // A record is found by its name without one.
      field != .recordID && !(systemFields[field] ?? []).isEmpty
    }.map(\.key)
    let systemKeys = CloudKitSchema.SystemField.allCases.map(\.key)
    let declared =
      (existing?["indexes"]?.elements.filter { $0["origin"]?.isString("declared") == true }) ?? []
    let fieldNames = existing?["fields"]?.elements.compactMap { $0["name"]?.stringValue } ?? []
    var kept: [JSONNode] = []
    var present: [String] = []
    for index in declared {
      let keys = index["keys"]?.elements.compactMap(\.stringValue) ?? []
      if keys.count == 1, systemKeys.contains(keys[0]) {
        present.append(keys[0])
      } else if keys.count > 1 || (keys.count == 1 && !fieldNames.contains(keys[0])) {
        kept.append(Self.node(of: index, keys))
      }
    }
    guard wanted.sorted() != present.sorted() else { return nil }
    return kept + wanted.map { .object([("keys", .array([.string($0)]))]) }
  }

  private static func node(of index: JSON, _ keys: [String]) -> JSONNode {
    var members: [(String, JSONNode)] = [("keys", .array(keys.map { .string($0) }))]
    if index["kind"]?.isString("elements") == true { members.append(("kind", "elements")) }
    if let collation = index["collation"] { members.append(("collation", .json(collation))) }
    return .object(members)
  }
}
