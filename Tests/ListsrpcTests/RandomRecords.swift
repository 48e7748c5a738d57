import JSONRPC
import Records

/// Records of all types, with the values at which types end, made of a seed.
struct RandomRecords {
  private var state: UInt64
  /// Field names and the type of each: one type for a name, as in a record type.
  let fields: [(name: String, type: FieldType)]
  let typeName: String

  /// - Parameter elements: The types that fields may have.
  init(seed: UInt64, typeName: String, elements: [FieldType.Element] = FieldType.Element.allCases) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    self.typeName = typeName
    let single = elements.map { (name: "\($0.rawValue) é\"", type: FieldType($0)) }
    fields = single + elements.map { (name: "\($0.rawValue)s,", type: FieldType($0, isList: true)) }
  }

  mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[next(choices.count)] }

  /// A record to save, in the wire's form.
  mutating func record(named name: String, zones: [String]) -> JSONNode {
    var values: [(String, JSONNode)] = []
    for field in fields where next(3) > 0 {
      values.append((field.name, .json(value(of: field.type).json)))
    }
    var members: [(String, JSONNode)] = [("recordType", .string(typeName)), ("recordName", .string(name))]
    members.append(("zoneName", .string(pick(zones))))
    members.append(("fields", .object(values)))
    return .object(members)
  }

  mutating func value(of type: FieldType) -> FieldValue {
    guard type.isList else { return single(type.element) }
    var elements: [FieldValue] = []
    for _ in 0..<next(4) { elements.append(single(type.element)) }
    return .list(elements)
  }

  private mutating func single(_ element: FieldType.Element) -> FieldValue {
    switch element {
    case .string:
      return .string(
        pick([
          "", " ", "a", "x,y", "\"", "l1\nl2\r\n", "\t", "é", "e\u{301}", "🇧🇪", "\u{7F}", "null",
          "{\"$date\":1}", "1",
        ]))
    case .int64: return .int64(pick([0, 1, -1, .max, .min, 9_007_199_254_740_993]))
    case .double:
      return .double(
        pick([0, -0.0, 1, 0.1, 1e308, .leastNonzeroMagnitude, -2.5e-308, .pi, 9_007_199_254_740_992]))
    case .boolean: return .boolean(next(2) == 0)
    case .date: return .date(pick([0, -1, 1_796_000_000_123, -62_135_596_800_000, 253_402_300_799_999]))
    case .bytes: return .bytes(pick([[], [0], [255, 254], Array(0...255)]))
    case .location:
      return .location(
        Location(latitude: pick([0, -90, 50.85]), longitude: pick([0, 180, -180, 4.35]))
          ?? .init(latitude: 0, longitude: 0)!)
    case .reference:
      return .reference(
        Reference(
          recordName: pick(["r1", "é", "{x", "a,b"]), zoneName: pick([nil, "z 1"]),
          action: pick([.none, .deleteSelf])))
    case .asset: return .asset(Asset(checksum: String(repeating: "a", count: 64), size: 0))
    case .object:
      return .object(
        JSON(
          unchecked: Array(
            pick([#"{}"#, #"{"a":{"b":[1,null,true]},"é":1.0}"#, #"{"value":"x"}"#, #"{"recordName":"x"}"#])
              .utf8)))
    }
  }
}
