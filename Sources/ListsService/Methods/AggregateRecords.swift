internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let aggregateRecords = Method(
    "aggregateRecords", .read,
    [
      .required("recordType"), .required("aggregates"), .optional("groupBy"), .optional("predicate"),
      .optional("arguments"), .optional("variables"), .optional("zoneName"), .optional("filterBy"),
      .optional("resultsLimit"), .optional("explain"),
    ],
    errors: .read
  ) { invocation, result throws(RecordError) in
    let arguments = invocation.arguments
    let limits = invocation.limits
    let database = try invocation.database(for: .read)
    let aggregates = try arguments.aggregates(atMost: limits.maximumKeys)
    let groupKeys = try arguments.keyPaths("groupBy", atMost: limits.maximumKeys)
    if let repeated = groupKeys.map(\.text).firstRepeated {
      throw .parameter("groupBy", mustBe: "a list of different keys, not '\(repeated.shortened)' twice")
    }
    var selection = try QueryArguments(invocation).query
    selection.maximumBytes = limits.maximumReplyBytes / 2
    selection.explains = try arguments.bool("explain", default: false)
    let request = AggregateQuery(
      selection, aggregates.map(\.aggregate), groupKeys: groupKeys.map(\.path),
      resultsLimit: try arguments.integer("resultsLimit", in: 1...limits.maximumGroups),
      maximumGroups: limits.maximumGroups)
    let groups = GroupsWriter(
      keys: groupKeys.map(\.text), names: aggregates.map(\.name), explains: selection.explains)
    if let found = try database.aggregate(request) {
      groups.write(found, to: &result)
      try invocation.checkReply(result)
      return .done
    }
    return .read(database, .aggregate(request)) { [invocation] read, result throws(RecordError) in
      guard case .aggregate(let found) = read else { throw .unexpectedItem }
      groups.write(found, to: &result)
      try invocation.checkReply(result)
    }
  }
}

/// A figure, and how it is called in the result.
private struct NamedAggregate {
  let name: String
  let aggregate: Aggregate

  /// Reads `{"function", "key"?, "name"?}`. Throws `invalidArguments` for anything else.
  init(_ json: JSON) throws(RecordError) {
    guard json.kind == .object else { throw Self.fault("takes objects with function, key, name") }
    var texts: [String: String] = [:]
    for member in json.members {
      guard ["function", "key", "name"].contains(where: { member.isNamed($0) }) else {
        throw Self.fault("has no member '\(member.name.shortened)'; known are function, key, name")
      }
      if member.value.isNull { continue }
      guard let text = member.value.stringValue else { throw Self.fault("takes a text for \(member.name)") }
      guard texts.updateValue(text, forKey: member.name) == nil else {
        throw Self.fault("has '\(member.name)' twice")
      }
    }
    guard let function = texts["function"].flatMap(Aggregate.Function.init(rawValue:)) else {
      let known = Aggregate.Function.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      throw Self.fault("takes one of \(known) for function")
    }
    let key = if let text = texts["key"] { try FieldPath(key: text) } else { nil as FieldPath? }
    if texts["key"] != nil, key == nil { throw Self.fault("takes a key path for key") }
    if key == nil, function != .count { throw Self.fault("needs a key for '\(function.rawValue)'") }
    aggregate = Aggregate(function, of: key)
    name = texts["name"] ?? texts["key"].map { "\(function.rawValue)(\($0))" } ?? function.rawValue
  }

  private static func fault(_ fault: String) -> RecordError {
    RecordError(
      .invalidArguments, "parameter 'aggregates' \(fault)", details: [.init("parameter", "aggregates")])
  }
}

extension Arguments {
  fileprivate func aggregates(atMost limit: Int) throws(RecordError) -> [NamedAggregate] {
    let elements = try list("aggregates") ?? []
    if elements.isEmpty { throw .parameter("aggregates", mustBe: "a list of one at least") }
    guard elements.count <= limit else {
      throw .limit(
        "maximumKeys", limit, actual: elements.count, "a request may have \(limit) aggregates at most")
    }
    var aggregates: [NamedAggregate] = []
    for element in elements { aggregates.append(try NamedAggregate(element)) }
    if let repeated = aggregates.map(\.name).firstRepeated {
      throw .parameter("aggregates", mustBe: "called by different names, not '\(repeated.shortened)' twice")
    }
    return aggregates
  }
}

extension [String] {
  /// The first text that stood there before, byte for byte.
  fileprivate var firstRepeated: String? {
    indices.first { index in self[..<index].contains { $0.hasSameUTF8(as: self[index]) } }.map { self[$0] }
  }
}

/// Writes groups as the reply's result.
private struct GroupsWriter {
  let keys: [String]
  let names: [String]
  let explains: Bool

  func write(_ found: AggregateResult, to result: inout JSONWriter) {
    result.beginObject()
    result.key("groups")
    result.beginArray()
    for group in found.groups {
      result.beginObject()
      result.key("group")
      write(keys, group.keys, to: &result)
      result.key("values")
      write(names, group.values, to: &result)
      result.endObject()
    }
    result.endArray()
    result.key("changeToken")
    result.string(found.changeToken.text)
    if explains { result.plan(found.plan) }
    result.endObject()
  }

  private func write(_ names: [String], _ values: [FieldValue?], to result: inout JSONWriter) {
    result.beginObject()
    for (name, value) in zip(names, values) {
      result.key(name)
      result.value(value)
    }
    result.endObject()
  }
}
