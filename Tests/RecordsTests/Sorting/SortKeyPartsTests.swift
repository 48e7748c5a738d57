import JSONRPC
import Testing

@testable import Records

@Suite struct SortKeyPartsTests {
  private static let values: [FieldValue?] = [
    nil, .boolean(true), .int64(.max), .double(-0.5), .date(0), .string(""), .string("a\u{0}b\u{0}"),
    .bytes([0, 0xFF, 0, 1]), .location(Location(latitude: 1, longitude: 2)!),
    .reference(Reference(recordName: "r")), .asset(Asset(checksum: "c", size: 3)),
    .list([]), .list([.string("x"), .string("")]),
    .object(try! JSON(parsing: #"{"a":[1,null,[2]],"b":{"c":"\u0000"},"d":null}"#)),
  ]

  @Test("the first of several keys is found, whatever comes behind it", arguments: values.indices)
  func first(place: Int) {
    var key: [UInt8] = []
    SortKey.append(Self.values[place], to: &key)
    let length = key.count
    for next in Self.values {
      var both = [0xAA] + key
      SortKey.append(next, to: &both)
      #expect(SortKey.lengthOfFirst(in: both[1...]) == length)
    }
    // What is cut off is no key.
    if length > 0 { #expect(SortKey.lengthOfFirst(in: key[..<(length - 1)]) == nil) }
  }

  @Test("bytes of another form are no key", arguments: [[], [0xFF], [0xB0, 1], [0x90, 0x00]] as [[UInt8]])
  func malformed(bytes: [UInt8]) {
    #expect(SortKey.lengthOfFirst(in: bytes[...]) == nil)
  }
}
