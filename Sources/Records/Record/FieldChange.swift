public import JSONRPC

/// What a save does to one field.
public enum FieldChange: Sendable, Equatable {
  case set(FieldValue)
  /// Null was sent, or `$unset`: the field is removed.
  case unset
  /// Adds to a number; a missing one counts as zero. By `int64` or `double`.
  case increment(FieldValue)
  /// Adds to the end of a list; a missing one counts as empty.
  case append([FieldValue])
  /// Adds to the end of a list those that are not in it yet.
  case addUnique([FieldValue])
  /// Takes out of a list all that equal one of these.
  case remove([FieldValue])

  /// A value, null, or one of `{"$increment":n}`, `{"$append":[…]}`, `{"$addUnique":[…]}`,
  /// `{"$remove":[…]}`, `{"$unset":true}`. Throws `invalidArguments`.
  public init(json: JSON) throws(RecordError) {
    if json.kind == .object {
      var members = json.members.makeIterator()
      if let member = members.next(), member.isMarked, members.next() == nil,
        let change = try Self.operation(member.name, member.value)
      {
        self = change
        return
      }
    }
    if let value = try FieldValue(json: json) { self = .set(value) } else { self = .unset }
  }

  private static func operation(_ name: String, _ json: JSON) throws(RecordError) -> FieldChange? {
    switch name {
    case "$increment":
      guard json.kind == .number, let amount = try FieldValue(json: json) else {
        throw RecordError(.invalidArguments, "$increment takes a number")
      }
      return .increment(amount)
    case "$append": return .append(try list(name, json))
    case "$addUnique": return .addUnique(try list(name, json))
    case "$remove": return .remove(try list(name, json))
    case "$unset":
      guard json.boolValue == true else { throw RecordError(.invalidArguments, "$unset takes true") }
      return .unset
    default: return nil
    }
  }

  private static func list(_ name: String, _ json: JSON) throws(RecordError) -> [FieldValue] {
    guard case .list(let elements)? = try FieldValue(json: json) else {
      throw RecordError(.invalidArguments, "\(name) takes a list")
    }
    return elements
  }
}

extension FieldChange {
  /// The same change with each value as `body` gives it.
  func mapValues(_ body: (FieldValue) -> FieldValue) -> FieldChange {
    switch self {
    case .set(let value): .set(body(value))
    case .unset, .increment: self
    case .append(let elements): .append(elements.map(body))
    case .addUnique(let elements): .addUnique(elements.map(body))
    case .remove(let elements): .remove(elements.map(body))
    }
  }

  /// Appends the JSON that ``init(json:)`` reads.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .set(let value): value.write(to: &writer)
    case .unset: writer.null()
    case .increment(let amount): Self.write("$increment", amount, to: &writer)
    case .append(let elements): Self.write("$append", .list(elements), to: &writer)
    case .addUnique(let elements): Self.write("$addUnique", .list(elements), to: &writer)
    case .remove(let elements): Self.write("$remove", .list(elements), to: &writer)
    }
  }

  private static func write(_ name: String, _ value: FieldValue, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(name)
    value.write(to: &writer)
    writer.endObject()
  }
}
