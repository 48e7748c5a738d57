import JSONRPC

extension StoredRecord {
  /// The value at a path; nil when it is missing.
  ///
  /// A path that goes on behind a list gives the list of what it finds in each element, in one level;
  /// elements in which it finds nothing are left out here. One that goes on behind a reference goes into the
  /// record that `resolver` finds; without a resolver there is nothing.
  public func value(at path: FieldPath, resolver: (any RecordResolver)? = nil) -> FieldValue? {
    value(at: path, inFields: body["fields"], resolver: resolver)
  }

  /// The same for one who asks for several values, and has found the record's fields already.
  func value(
    at path: FieldPath, inFields fields: JSON?, resolver: (any RecordResolver)? = nil
  ) -> FieldValue? {
    if let key = path.systemKey, path.components.count == 1, !path.countsElements { return value(of: key) }
    let field = fields?[path.root]
    if path.components.count == 1, !path.countsElements { return field.flatMap(FieldValue.init(stored:)) }
    switch operand(at: path, in: field, resolver: resolver) {
    case .single(let value): return value
    case .list(let elements): return .list(elements.compactMap { $0 })
    }
  }

  /// What a predicate finds at the path; `field` is the JSON of the field that it starts with, if it does
  /// with one.
  func operand(at path: FieldPath, in field: JSON?, resolver: (any RecordResolver)?) -> Operand {
    if let key = path.systemKey {
      return path.components.count == 1 && !path.countsElements ? Operand(value(of: key)) : .single(nil)
    }
    guard let field else { return .single(nil) }
    if path.components.count == 1, !path.countsElements { return Operand(field) }
    var walk = PathWalk(of: self, field: field, resolver: resolver)
    walk.go(path.components.dropFirst())
    return walk.result(countingElements: path.countsElements)
  }

  /// What a predicate finds at one element of a list, or behind it.
  func operand(
    at path: Predicate.ElementPath, in field: JSON?, resolver: (any RecordResolver)?
  ) -> Operand {
    guard let field else { return .single(nil) }
    var walk = PathWalk(of: self, field: field, resolver: resolver)
    walk.go(path.list.components.dropFirst())
    walk.pick(path.position)
    walk.go(path.rest[...])
    return walk.result(countingElements: path.countsElements)
  }
}

extension FieldPath {
  /// Whether it leads into another record where its first field is a reference, or a list of them.
  public var mayLeadThroughReference: Bool {
    systemKey == nil && components.count > 1 && !Reference.hasMember(components[1])
  }
}

extension Reference {
  /// Whether a path finds this in a reference itself, and not in the record that it leads to.
  static func hasMember(_ name: String) -> Bool {
    name.hasSameUTF8(as: "recordName") || name.hasSameUTF8(as: "zoneName") || name.hasSameUTF8(as: "action")
  }
}
