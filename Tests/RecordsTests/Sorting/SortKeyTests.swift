import JSONRPC
import Testing

@testable import Records

struct SortKeyTests {
  @Test("keys are ordered as the values are, ascending", arguments: [1, 2, 3] as [UInt64])
  func ascendingOrder(seed: UInt64) {
    for (left, right) in pairs(seed: seed) {
      #expect(
        Reference.order(left, right) == byteOrder(key(left), key(right)),
        "\(String(describing: left)) and \(String(describing: right))")
    }
  }

  @Test(
    "keys are turned round when descending, null with them unless told otherwise", arguments: [4] as [UInt64])
  func descendingOrder(seed: UInt64) throws {
    let path = try #require(FieldPath("f"))
    for nulls in SortDescriptor.Nulls.allCases {
      for ascending in [true, false] {
        let descriptor = SortDescriptor(path, ascending: ascending, nulls: nulls)
        for (left, right) in pairs(seed: seed, count: 2000) {
          var keys: [[UInt8]] = [[], []]
          try SortKey.append(left, descriptor, to: &keys[0])
          try SortKey.append(right, descriptor, to: &keys[1])
          #expect(
            Reference.order(left, right, descriptor) == byteOrder(keys[0], keys[1]),
            "\(String(describing: left)) and \(String(describing: right))")
        }
      }
    }
  }

  @Test("of keys put together the first value that differs decides", arguments: [5] as [UInt64])
  func concatenation(seed: UInt64) throws {
    let path = try #require(FieldPath("f"))
    var generator = SplitMix64(seed: seed)
    let descriptors = [SortDescriptor(path), SortDescriptor(path, ascending: false), SortDescriptor(path)]
    for _ in 0..<5000 {
      let shared = optional(using: &generator)
      let left = [shared, optional(using: &generator), optional(using: &generator)]
      let right = [shared, optional(using: &generator), optional(using: &generator)]
      var keys: [[UInt8]] = [[], []]
      for (index, descriptor) in descriptors.enumerated() {
        try SortKey.append(left[index], descriptor, to: &keys[0])
        try SortKey.append(right[index], descriptor, to: &keys[1])
      }
      let expected = zip(zip(left, right), descriptors).lazy
        .map { Reference.order($0.0, $0.1, $1) }
        .first { $0 != .same }
      #expect((expected ?? .same) == byteOrder(keys[0], keys[1]))
    }
  }

  @Test("values that are equal have equal keys, and those that are not don't, references by recordName")
  func equality() {
    for left in SampleValues.all {
      for right in SampleValues.all {
        #expect(left.equals(right) == (key(left) == key(right)), "\(left) and \(right)")
      }
    }
  }

  @Test("the prefix for texts begins the keys of the texts that begin so, and no others")
  func textPrefix() {
    for prefix in SampleValues.texts {
      let start = SortKey.prefix(ofTextsBeginningWith: prefix)
      for text in SampleValues.texts {
        let begins = Normalization.composed(text).starts(with: Normalization.composed(prefix))
        #expect(key(.string(text)).starts(with: start) == begins, "\(text) and \(prefix)")
      }
    }
  }

  @Test("the end of a prefix lies behind all that begin with it, and not behind more")
  func prefixEnd() {
    #expect(SortKey.end(ofPrefix: [0x40, 0x61]) == [0x40, 0x62])
    #expect(SortKey.end(ofPrefix: [0x40, 0xFF, 0xFF]) == [0x41])
    #expect(SortKey.end(ofPrefix: [0xFF]) == nil)
    #expect(SortKey.end(ofPrefix: []) == nil)
  }

  @Test("a record's key has its values, then its name ascending whatever the directions")
  func recordKey() throws {
    func record(_ name: String, _ fields: String) throws -> StoredRecord {
      StoredRecord(body: try JSON(parsing: #"{"recordName":"\#(name)","fields":\#(fields)}"#))
    }
    let descriptors = [SortDescriptor(try #require(FieldPath("n")), ascending: false)]
    let records = [
      try record("b", #"{"n":2}"#), try record("z", #"{"n":1}"#), try record("a", #"{"n":1.0}"#),
      try record("c", "{}"),
    ]
    let sorted = try records.map { (try SortKey.key(of: $0, by: descriptors), $0.recordName) }.sorted {
      $0.0.lexicographicallyPrecedes($1.0)
    }
    #expect(sorted.map(\.1) == ["b", "a", "z", "c"])
  }

  @Test("records are sorted by their distance from a place; without one they come last")
  func distance() throws {
    func record(_ name: String, _ place: String) throws -> StoredRecord {
      StoredRecord(body: try JSON(parsing: #"{"recordName":"\#(name)","fields":{"place":\#(place)}}"#))
    }
    let records = [
      try record("far", #"{"$location":{"latitude":0,"longitude":-170}}"#), try record("none", "null"),
      try record("near", #"{"$location":{"latitude":1,"longitude":180}}"#), try record("text", #""near""#),
      try record("at", #"{"$location":{"latitude":0,"longitude":-180}}"#),
    ]
    let path = try #require(FieldPath("place"))
    let center = try #require(Location(latitude: 0, longitude: 180))
    func names(_ descriptor: SortDescriptor) throws -> [String] {
      try records.map { (try SortKey.key(of: $0, by: [descriptor]), $0.recordName) }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }
    #expect(
      try names(SortDescriptor(path, relativeLocation: center)) == ["at", "near", "far", "none", "text"])
    #expect(
      try names(SortDescriptor(path, ascending: false, relativeLocation: center))
        == ["far", "near", "at", "none", "text"])
    #expect(
      try names(SortDescriptor(path, nulls: .first, relativeLocation: center))
        == ["none", "text", "at", "near", "far"])
  }

  @Test("a key of what a reference leads to is made of the record that the resolver finds")
  func throughReference() throws {
    struct Lists: RecordResolver {
      func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
        guard recordName == "L" else { return nil }
        return StoredRecord(
          body: JSON(unchecked: Array(#"{"recordName":"L","fields":{"rank":7}}"#.utf8)))
      }
    }
    let record = StoredRecord(
      body: try JSON(
        parsing: #"{"recordName":"r","fields":{"list":{"$reference":{"recordName":"L"}},"n":7}}"#))
    let direct = try SortKey.key(of: record, by: [SortDescriptor(try #require(FieldPath("n")))])
    let through = SortDescriptor(try #require(FieldPath("list.rank")))
    #expect(try SortKey.key(of: record, by: [through], resolver: Lists()) == direct)
    #expect(try SortKey.key(of: record, by: [through]) != direct)
  }

  private func byteOrder(_ left: [UInt8], _ right: [UInt8]) -> Order {
    left == right ? .same : left.lexicographicallyPrecedes(right) ? .before : .after
  }

  private func key(_ value: FieldValue?) -> [UInt8] {
    var key: [UInt8] = []
    SortKey.append(value, to: &key)
    return key
  }

  private func pairs(seed: UInt64, count: Int = 10_000) -> [(FieldValue?, FieldValue?)] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in (optional(using: &generator), optional(using: &generator)) }
  }

  private func optional(using generator: inout SplitMix64) -> FieldValue? {
    Int.random(in: 0..<10, using: &generator) == 0 ? nil : SampleValues.random(using: &generator)
  }
}

/// The settled order, said once more without keys.
private enum Reference {
  static func order(_ left: FieldValue?, _ right: FieldValue?, _ descriptor: SortDescriptor) -> Order {
    switch (left, right) {
    case (nil, nil): .same
    case (nil, _): descriptor.nullsComeFirst ? .before : .after
    case (_, nil): descriptor.nullsComeFirst ? .after : .before
    default: descriptor.ascending ? order(left, right) : order(left, right).reversed
    }
  }

  static func order(_ left: FieldValue?, _ right: FieldValue?) -> Order {
    let ranks = Order(rank(left), rank(right))
    guard ranks == .same, let left, let right else { return ranks }
    switch (left, right) {
    case (.int64(let left), .int64(let right)): return Order(left, right)
    case (.double(let left), .double(let right)): return Order(left, right)
    case (.int64(let left), .double(let right)): return order(left, right)
    case (.double(let left), .int64(let right)): return order(right, left).reversed
    case (.boolean(let left), .boolean(let right)): return Order(left ? 1 : 0, right ? 1 : 0)
    case (.date(let left), .date(let right)): return Order(left, right)
    case (.string(let left), .string(let right)):
      return order(scalars(left), scalars(right)) { Order($0, $1) }
    case (.bytes(let left), .bytes(let right)): return order(left, right) { Order($0, $1) }
    case (.list(let left), .list(let right)): return order(left, right) { order($0, $1) }
    case (.reference(let left), .reference(let right)): return Order(left.recordName, right.recordName)
    case (.asset(let left), .asset(let right)):
      let checksums = Order(left.checksum, right.checksum)
      return checksums == .same ? Order(left.size, right.size) : checksums
    case (.location(let left), .location(let right)):
      let latitudes = Order(left.latitude, right.latitude)
      return latitudes == .same ? Order(left.normalized.longitude, right.normalized.longitude) : latitudes
    case (.object(let left), .object(let right)):
      return order(members(left), members(right)) { left, right in
        let names = Order(left.0, right.0)
        return names == .same ? order(inner(left.1), inner(right.1)) : names
      }
    default: return .same
    }
  }

  private static func order<Element>(
    _ left: [Element], _ right: [Element], by order: (Element, Element) -> Order
  ) -> Order {
    for (left, right) in zip(left, right) {
      let result = order(left, right)
      if result != .same { return result }
    }
    return Order(left.count, right.count)
  }

  private static func order(_ integer: Int64, _ double: Double) -> Order {
    let floor = double.rounded(.down)
    if floor >= 0x1p63 { return .before }
    if floor < -0x1p63 { return .after }
    let whole = Int64(floor)
    return integer != whole ? Order(integer, whole) : double > floor ? .before : .same
  }

  private static func scalars(_ text: String) -> [Unicode.Scalar] {
    Array(String(decoding: Normalization.composed(text), as: UTF8.self).unicodeScalars)
  }

  private static func members(_ json: JSON) -> [(String, JSON)] {
    json.members.map { ($0.name, $0.value) }.sorted { $0.0 < $1.0 }
  }

  private static func inner(_ json: JSON) -> FieldValue? { FieldValue(stored: json) }

  private static func rank(_ value: FieldValue?) -> Int {
    switch value {
    case nil: 0
    case .boolean: 1
    case .int64, .double: 2
    case .date: 3
    case .string: 4
    case .bytes: 5
    case .location: 6
    case .reference: 7
    case .asset: 8
    case .list: 9
    case .object: 10
    }
  }
}
