internal import JSONRPC
internal import Records

/// What becomes of the fields of a record type, decided before anything is written.
struct FieldFates {
  /// What becomes of one field.
  struct Fate {
    /// Its name afterwards; nil when it is dropped.
    var name: Name?
    /// The type that it gets; nil when that stays.
    var type: FieldType?
  }

  /// By the name before; of the fields that don't stay as they are.
  private(set) var fates: [Name: Fate] = [:]

  /// Throws `invalidArguments` for what can't be done with the fields that there are.
  init(_ changes: RecordTypeChanges, of known: RecordType) throws(RecordError) {
    for field in changes.dropped {
      let fate = fates.updateValue(Fate(), forKey: try Self.name(field, in: known))
      guard fate == nil else { throw .change("the field '\(field)' is dropped twice", of: field) }
    }
    for (from, to) in changes.renamed {
      let fate = fates.updateValue(Fate(name: Name(to)), forKey: try Self.name(from, in: known))
      guard fate == nil else {
        throw .change("the field '\(from)' can be renamed once, and not dropped too", of: from)
      }
    }
    try checkNames(of: known)
    var before: [Name: Name] = [:]
    for name in known.fields.keys { if let after = nameAfter(name) { before[after] = name } }
    var retyped: Set<Name> = []
    for (field, type) in changes.retyped {
      guard let old = before[Name(field)], let present = known.fields[old] else {
        throw .change("there is no field '\(field)' to get another type", of: field)
      }
      guard retyped.insert(old).inserted else {
        throw .change("the field '\(field)' gets two types", of: field)
      }
      if type != present { fates[old, default: Fate(name: old)].type = type }
    }
    fates = fates.filter { $0.value.name != $0.key || $0.value.type != nil }
  }

  private static func name(_ field: String, in known: RecordType) throws(RecordError) -> Name {
    guard known.fields[Name(field)] != nil else { throw .change("there is no field '\(field)'", of: field) }
    return Name(field)
  }

  /// That no two fields have one name afterwards.
  private func checkNames(of known: RecordType) throws(RecordError) {
    var names: Set<Name> = []
    for name in known.fields.keys.sorted() {
      guard let after = nameAfter(name) else { continue }
      guard names.insert(after).inserted else {
        throw .change("two fields would be called '\(after.text)'", of: after.text)
      }
    }
  }

  var isEmpty: Bool { fates.isEmpty }

  /// Nil for a field that is dropped.
  func nameAfter(_ name: Name) -> Name? {
    guard let fate = fates[name] else { return name }
    return fate.name
  }

  /// The fields that get another type, by their names afterwards.
  var retyped: [Name] { fates.values.compactMap { $0.type == nil ? nil : $0.name }.sorted() }

  /// Whether names alone lead to the values that there were.
  var renames: Bool { fates.contains { $0.value.name != $0.key } }
}

// MARK: - Records

extension FieldFates {
  /// A record's fields, and what of them is lost.
  struct Outcome {
    /// As they were, under their new names.
    var renamed: [RecordBody.Field] = []
    var fields: [RecordBody.Field] = []
    /// By the names from before.
    var losses: [(field: Name, value: FieldValue)] = []
  }

  /// Nil when nothing becomes of any of them.
  func outcome(of fields: [RecordBody.Field]) -> Outcome? {
    guard fields.contains(where: { fates[Name($0.name)] != nil }) else { return nil }
    var outcome = Outcome()
    for field in fields {
      let name = Name(field.name)
      guard let fate = fates[name] else {
        outcome.renamed.append(field)
        outcome.fields.append(field)
        continue
      }
      guard let after = fate.name else {
        outcome.losses.append((name, field.value))
        continue
      }
      outcome.renamed.append(.init(name: after.text, value: field.value))
      switch fate.type.map(field.value.converted) ?? .value(field.value) {
      case .value(let value): outcome.fields.append(.init(name: after.text, value: value))
      case .nothing: break
      case .lost: outcome.losses.append((name, field.value))
      }
    }
    return outcome
  }
}

// MARK: - JSON

extension FieldFates {
  /// From the JSON that ``json`` is.
  init(stored json: JSON) {
    for member in json.members {
      let parts = Array(member.value.elements)
      guard parts.count == 2 else { continue }
      fates[Name(member.name)] = Fate(
        name: parts[0].stringValue.map { Name($0) }, type: parts[1].stringValue.flatMap(FieldType.init(name:))
      )
    }
  }

  /// An object with a list of new name and new type for each name, null where there is none.
  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, fate) in fates.sorted(by: { $0.key < $1.key }) {
      writer.key(name.text)
      writer.beginArray()
      for text in [fate.name?.text, fate.type?.name] {
        if let text { writer.string(text) } else { writer.null() }
      }
      writer.endArray()
    }
    writer.endObject()
    return JSON(unchecked: writer.bytes).text
  }
}

// MARK: - What is declared

extension FieldFates {
  /// The type with its fields as they are to be. Of indexes only the keys: nil in place of one that can't be.
  func applied(to known: RecordType, telling report: inout RecordTypeReport) -> RecordType {
    var type = known
    for name in fates.keys {
      type.fields[name] = nil
      type.fieldIndexing[name] = nil
      type.rules[name] = nil
    }
    for (name, fate) in fates.sorted(by: { $0.key < $1.key }) {
      guard let after = fate.name, let valueType = fate.type ?? known.fields[name] else { continue }
      type.fields[after] = valueType
      var indexing = known.fieldIndexing[name] ?? []
      if indexing.contains(.searchable), valueType.element != .string {
        indexing.remove(.searchable)
        report.indexesDropped.append([name.text])
      }
      type.fieldIndexing[after] = indexing.isEmpty ? nil : indexing
      guard let rules = known.rules[name] else { continue }
      let (converted, dropped) = rules.converted(to: valueType)
      type.rules[after] = converted.isEmpty ? nil : converted
      for rule in dropped { report.rulesDropped.append((name.text, rule)) }
    }
    return type
  }

  /// The keys of an index afterwards; nil when it can't go on.
  func parts(of index: DeclaredIndex, _ type: RecordType) -> [IndexPart]? {
    var parts: [IndexPart] = []
    for part in index.parts {
      guard part.path.systemKey == nil, let fate = fates[Name(part.path.root)] else {
        parts.append(part)
        continue
      }
      guard let name = fate.name else { return nil }
      // Behind what is no object any more there is nothing to be found.
      let leadsFurther = part.path.components.count > 1
      if leadsFurther, fate.type != nil, type.fields[name]?.element != .object { return nil }
      let components = [name.text] + part.path.components.dropFirst()
      guard let path = FieldPath(components, countsElements: part.path.countsElements) else { return nil }
      parts.append(IndexPart(path, part.collation))
    }
    return parts
  }
}

extension RecordError {
  fileprivate static func change(_ message: String, of field: String) -> RecordError {
    RecordError(
      .invalidArguments, message,
      details: [.init(name: "parameter", text: "changes"), .init(name: "field", text: field)])
  }
}
