internal import JSONRPC
internal import Records

/// The parameters of one request, by name or by position, in the order of the method's description.
///
/// Values are spans of the message; nothing is decoded before it is asked for. Null counts as omitted.
struct Arguments {
  let methodName: String
  private let parameters: [Method.Parameter]
  private var values: [JSON?]
  /// The params as they came; nil when omitted.
  let all: JSON?

  /// Throws `invalidArguments` for an unknown, repeated, surplus or missing parameter, by name and with the
  /// names that are known.
  init(_ params: JSON?, of method: Method) throws(RecordError) {
    all = params
    methodName = method.name
    parameters = method.parameters
    if method.takesAnyParameters {
      values = []
      return
    }
    values = Array(repeating: nil, count: parameters.count)
    if let params {
      if params.kind == .array { try takeByPosition(params) } else { try takeByName(params) }
    }
    for (parameter, value) in zip(parameters, values) where parameter.isRequired && value == nil {
      throw fault("parameter '\(parameter.name)' is missing", parameter: parameter.name)
    }
  }

  private mutating func takeByName(_ params: JSON) throws(RecordError) {
    var isTaken: UInt64 = 0
    for member in params.members {
      guard let index = parameters.firstIndex(where: { member.isNamed($0.name) }) else {
        let name = member.name.shortened
        throw fault("there is no parameter '\(name)'", parameter: name)
      }
      if isTaken & 1 << index != 0 {
        throw fault("parameter '\(member.name)' occurs twice", parameter: member.name)
      }
      isTaken |= 1 << index
      if !member.value.isNull { values[index] = member.value }
    }
  }

  private mutating func takeByPosition(_ params: JSON) throws(RecordError) {
    var index = 0
    for value in params.elements {
      guard index < parameters.count else {
        throw fault("there are more than \(parameters.count) parameters", parameter: nil)
      }
      if !value.isNull { values[index] = value }
      index += 1
    }
  }

  private func fault(_ message: String, parameter: String?) -> RecordError {
    let names = parameters.map(\.name)
    var details = [RecordError.Detail("known", names)]
    if let parameter { details.insert(RecordError.Detail("parameter", parameter), at: 0) }
    let known = names.isEmpty ? "it takes none" : "known are \(names.joined(separator: ", "))"
    return RecordError(.invalidArguments, "\(message); \(known)", details: details)
  }

  /// Those that were not omitted, in the order of the method's description.
  var given: [(name: String, value: JSON)] {
    zip(parameters, values).compactMap { parameter, value in value.map { (parameter.name, $0) } }
  }

  /// The value of a parameter of this method; nil when it was omitted.
  subscript(_ name: String) -> JSON? {
    guard let index = parameters.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("\(name) is no parameter of this method")
    }
    return values[index]
  }
}

extension Arguments {
  func string(_ name: String) throws(RecordError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.stringValue else { throw .parameter(name, mustBe: "a string") }
    return text
  }

  func requiredString(_ name: String) throws(RecordError) -> String {
    guard let text = try string(name) else { throw .parameter(name, mustBe: "a string") }
    return text
  }

  func bool(_ name: String, default standard: Bool) throws(RecordError) -> Bool {
    guard let value = self[name] else { return standard }
    guard let bool = value.boolValue else { throw .parameter(name, mustBe: "true or false") }
    return bool
  }

  /// An integer of the range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(RecordError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.int64Value, let integer = Int(exactly: number), range.contains(integer) else {
      throw .parameter(name, mustBe: "an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  func list(_ name: String) throws(RecordError) -> [JSON]? {
    guard let value = self[name] else { return nil }
    guard value.kind == .array else { throw .parameter(name, mustBe: "a list") }
    return Array(value.elements)
  }

  func strings(_ name: String) throws(RecordError) -> [String]? {
    guard let elements = try list(name) else { return nil }
    var strings: [String] = []
    strings.reserveCapacity(elements.count)
    for element in elements {
      guard let string = element.stringValue else { throw .parameter(name, mustBe: "a list of strings") }
      strings.append(string)
    }
    return strings
  }

  func object(_ name: String) throws(RecordError) -> JSON? {
    guard let value = self[name] else { return nil }
    guard value.kind == .object else { throw .parameter(name, mustBe: "an object") }
    return value
  }

  /// One of the words; nil when omitted.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Word.Type
  ) throws(RecordError) -> Word? {
    guard let value = self[name] else { return nil }
    guard let word = value.stringValue.flatMap(Word.init(rawValue:)) else {
      let words = Word.allCases.map { "'\($0.rawValue)'" }
      throw .parameter(name, mustBe: "one of \(words.joined(separator: ", "))")
    }
    return word
  }
}

extension String {
  /// What a client sent, cut to a length that is fit to be read.
  var shortened: String {
    unicodeScalars.count <= 64 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(64))) + "…"
  }
}
