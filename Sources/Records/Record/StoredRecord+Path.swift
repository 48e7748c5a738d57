import JSONRPC

extension StoredRecord {
  /// The value at a path; nil when it is missing.
  ///
  /// A path that goes on behind a list gives the list of what it finds in each element, in one level;
  /// elements in which it finds nothing are left out here.
  public func value(at path: FieldPath) -> FieldValue? {
    value(at: path, inFields: body["fields"])
  }

  /// The same for one who asks for several values, and has found the record's fields already.
  func value(at path: FieldPath, inFields fields: JSON?) -> FieldValue? {
    if let key = path.systemKey, path.components.count == 1, !path.countsElements { return value(of: key) }
    let field = fields?[path.root]
    if path.components.count == 1, !path.countsElements { return field.flatMap(FieldValue.init(stored:)) }
    switch operand(at: path, in: field) {
    case .single(let value): return value
    case .list(let elements): return .list(elements.compactMap { $0 })
    }
  }

  /// What a predicate finds at the path; `field` is the JSON of the field that it starts with, if it does
  /// with one.
  func operand(at path: FieldPath, in field: JSON?) -> Operand {
    if let key = path.systemKey {
      return path.components.count == 1 && !path.countsElements ? Operand(value(of: key)) : .single(nil)
    }
    guard let field else { return .single(nil) }
    if path.components.count == 1, !path.countsElements { return Operand(field) }
    var found: [JSON?] = [field]
    var isList = false
    for name in path.components.dropFirst() {
      if !isList { isList = found[0]?.kind == .array }
      found = Self.flattened(found).map { $0?.member(atPathComponent: name) }
      // Behind nothing there is nothing, however long the path.
      if found.allSatisfy({ $0 == nil }) { break }
    }
    if path.countsElements {
      guard isList || found[0]?.kind == .array else { return .single(nil) }
      return .single(.int64(Int64(Self.flattened(found).count)))
    }
    if !isList { return Operand(found[0]) }
    return .list(Self.flattened(found).map { $0.flatMap(FieldValue.init(stored:)) })
  }

  /// The values with lists replaced by their elements.
  private static func flattened(_ values: [JSON?]) -> [JSON?] {
    var result: [JSON?] = []
    for value in values {
      if let value, value.kind == .array { result += Array(value.elements) } else { result.append(value) }
    }
    return result
  }
}

extension JSON {
  /// The member of an object, or of the object inside a value such as `{"$location":{…}}`.
  fileprivate func member(atPathComponent name: String) -> JSON? {
    var members = members.makeIterator()
    if let first = members.next(), first.isMarked { return first.value[name] }
    return self[name]
  }
}
