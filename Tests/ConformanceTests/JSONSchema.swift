import InProcessService
import JSONRPC

/// Checks values against JSON Schema, draft 07: the keywords that the protocol's documents use, and no
/// others, so that a misspelt keyword is a fault and not without effect.
struct JSONSchema {
  /// What `#` stands for in references.
  let document: JSONNode
  /// Schemas for references to elsewhere; a reference that is neither here nor within is a fault.
  var remote: [String: (JSONNode, inout [String], String) -> Void] = [:]

  init(document: JSONNode) {
    self.document = document
  }

  /// The faults of `value`, each with the place of it.
  func faults(of value: JSONNode, against schema: JSONNode, at path: String = "") -> [String] {
    if case .bool(let accepts) = schema { return accepts ? [] : ["\(path): nothing is allowed here"] }
    if case .string(let reference)? = schema["$ref"] {
      var faults: [String] = []
      if let check = remote[reference] {
        check(value, &faults, path)
        return faults
      }
      guard let target = resolve(reference) else { return ["\(path): \(reference) leads nowhere"] }
      return self.faults(of: value, against: target, at: path)
    }
    return schema.membersOrNone.flatMap { faults(of: value, keyword: $0.0, $0.1, schema, path) }
  }

  func accepts(_ value: JSONNode, _ schema: JSONNode) -> Bool { faults(of: value, against: schema).isEmpty }

  /// The value that a reference within the document leads to.
  func resolve(_ reference: String) -> JSONNode? {
    guard reference.hasPrefix("#") else { return nil }
    var node: JSONNode? = document
    for part in reference.dropFirst().split(separator: "/") { node = node?[String(part)] }
    return node
  }

  private func faults(
    of value: JSONNode, keyword: String, _ argument: JSONNode, _ schema: JSONNode, _ path: String
  ) -> [String] {
    func fault(_ isMet: Bool) -> [String] {
      isMet ? [] : ["\(path): \(value) is not as \(keyword) \(argument) wants"]
    }
    switch keyword {
    case "type": return fault(argument.elements.contains { Self.isOfType(value, $0.text) })
    case "enum": return fault(argument.elements.contains(value))
    case "minimum": return fault(value.number.map { $0 >= argument.number ?? 0 } ?? true)
    case "maximum": return fault(value.number.map { $0 <= argument.number ?? 0 } ?? true)
    case "minLength": return fault(value.string.map { $0.unicodeScalars.count >= argument.count } ?? true)
    case "maxLength": return fault(value.string.map { $0.unicodeScalars.count <= argument.count } ?? true)
    case "minItems": return fault(value.array.map { $0.count >= argument.count } ?? true)
    case "maxItems": return fault(value.array.map { $0.count <= argument.count } ?? true)
    case "pattern": return fault(value.string.map { Self.matches($0, argument.text) } ?? true)
    case "required":
      guard case .object = value else { return [] }
      return argument.elements.filter { value[$0.text] == nil }.map { "\(path): lacks \($0)" }
    case "allOf": return argument.elements.flatMap { faults(of: value, against: $0, at: path) }
    case "anyOf": return fault(argument.elements.contains { accepts(value, $0) })
    case "oneOf": return fault(argument.elements.count { accepts(value, $0) } == 1)
    case "not": return fault(!accepts(value, argument))
    case "items":
      return (value.array ?? []).enumerated().flatMap {
        faults(of: $0.element, against: argument, at: "\(path)/\($0.offset)")
      }
    case "properties", "patternProperties", "additionalProperties", "propertyNames":
      return value.membersOrNone.flatMap { membersFaults($0, keyword, argument, schema, path) }
    case "title", "description", "default", "definitions", "$schema", "$id", "format", "additionalItems":
      return []
    default: return ["\(path): the schema has the unknown keyword \(keyword)"]
    }
  }

  private func membersFaults(
    _ member: (String, JSONNode), _ keyword: String, _ argument: JSONNode, _ schema: JSONNode,
    _ path: String
  ) -> [String] {
    let (name, value) = member
    let place = "\(path)/\(name)"
    switch keyword {
    case "propertyNames": return faults(of: .string(name), against: argument, at: place)
    case "properties": return argument[name].map { faults(of: value, against: $0, at: place) } ?? []
    case "patternProperties":
      return argument.membersOrNone.filter { Self.matches(name, $0.0) }.flatMap {
        faults(of: value, against: $0.1, at: place)
      }
    default:
      let isKnown =
        schema["properties"]?[name] != nil
        || (schema["patternProperties"]?.membersOrNone ?? []).contains { Self.matches(name, $0.0) }
      return isKnown ? [] : faults(of: value, against: argument, at: place)
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    guard let regex = try? Regex(pattern) else { return false }
    return text.firstMatch(of: regex) != nil
  }

  static func isOfType(_ value: JSONNode, _ type: String) -> Bool {
    switch value {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    case .int: type == "integer" || type == "number"
    case .double(let number): type == "number" || type == "integer" && number == number.rounded()
    case .json: type == "number"
    }
  }
}

// MARK: - Is it a schema?

extension JSONSchema {
  /// What is wrong with a schema itself: unknown keywords, arguments of the wrong type, patterns that are none,
  /// references that lead nowhere.
  func faultsOfSchema(_ schema: JSONNode, at path: String = "") -> [String] {
    if case .bool = schema { return [] }
    guard case .object(let members) = schema else { return ["\(path): a schema is an object"] }
    return members.flatMap { keyword, argument in
      faultsOfKeyword(keyword, argument, at: "\(path)/\(keyword)")
    }
  }

  private func faultsOfKeyword(_ keyword: String, _ argument: JSONNode, at path: String) -> [String] {
    let wrong = ["\(path): \(argument) is no argument of \(keyword)"]
    switch keyword {
    case "title", "description": return argument.string == nil ? wrong : []
    case "default": return []
    case "type":
      let types = ["null", "boolean", "string", "array", "object", "integer", "number"]
      return argument.elements.allSatisfy { types.contains($0.text) } ? [] : wrong
    case "enum": return argument.array?.isEmpty == false ? [] : wrong
    case "minimum", "maximum": return argument.number == nil ? wrong : []
    case "minLength", "maxLength", "minItems", "maxItems":
      if case .int(let count) = argument, count >= 0 { return [] }
      return wrong
    case "pattern": return (try? Regex(argument.text)) == nil ? wrong : []
    case "required": return argument.array?.allSatisfy { $0.string != nil } == true ? [] : wrong
    case "$ref": return argument.string.flatMap(resolve) == nil ? wrong : []
    case "allOf", "anyOf", "oneOf":
      guard let schemas = argument.array, !schemas.isEmpty else { return wrong }
      return schemas.enumerated().flatMap { faultsOfSchema($0.element, at: "\(path)/\($0.offset)") }
    case "items", "not", "additionalProperties", "propertyNames": return faultsOfSchema(argument, at: path)
    case "properties", "patternProperties":
      return argument.membersOrNone.flatMap { faultsOfSchema($0.1, at: "\(path)/\($0.0)") }
    default: return ["\(path): unknown keyword"]
    }
  }
}
