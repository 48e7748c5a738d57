import JSONRPC
import Testing

@testable import Records

struct SortDescriptorTests {
  @Test("what is left out is ascending, null first, by code point")
  func defaults() throws {
    let descriptor = try SortDescriptor(json: JSON(parsing: #"{"key":"name"}"#))
    #expect(descriptor == SortDescriptor(try #require(FieldPath("name"))))
    #expect(descriptor.nullsComeFirst)
  }

  @Test("every member is read, and written back")
  func roundTrip() throws {
    let text = #"{"key":"a.b","ascending":false,"nulls":"first","collation":"localized"}"#
    let descriptor = try SortDescriptor(json: JSON(parsing: text))
    #expect(descriptor.key == "a.b")
    #expect(!descriptor.ascending)
    #expect(descriptor.nullsComeFirst)
    #expect(descriptor.collation == .localized)
    var writer = JSONWriter()
    descriptor.write(to: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test("a location to be near to is read, and written back")
  func relativeLocation() throws {
    let text =
      #"{"key":"place","ascending":true,"nulls":"default","collation":"codePoint","#
      + #""relativeLocation":{"$location":{"latitude":1.5,"longitude":-2.0}}}"#
    let descriptor = try SortDescriptor(json: JSON(parsing: text))
    #expect(descriptor.relativeLocation == Location(latitude: 1.5, longitude: -2))
    var writer = JSONWriter()
    descriptor.write(to: &writer)
    let again = try SortDescriptor(json: JSON(parsing: String(decoding: writer.bytes, as: UTF8.self)))
    #expect(again == descriptor)
    let without = try SortDescriptor(json: JSON(parsing: #"{"key":"place","relativeLocation":null}"#))
    #expect(without.relativeLocation == nil)
  }

  @Test("what has no distance comes last unless it is to come first", arguments: [true, false])
  func nullDistances(ascending: Bool) throws {
    let path = try #require(FieldPath("place"))
    let location = try #require(Location(latitude: 1, longitude: 2))
    for nulls in SortDescriptor.Nulls.allCases {
      let descriptor = SortDescriptor(path, ascending: ascending, nulls: nulls, relativeLocation: location)
      #expect(descriptor.nullsComeFirst == (nulls == .first))
      var null: [UInt8] = []
      var some: [UInt8] = []
      try SortKey.append(.int64(1), descriptor, to: &null)
      try SortKey.append(.location(location), descriptor, to: &some)
      #expect(null.lexicographicallyPrecedes(some) == (nulls == .first))
    }
  }

  @Test("what is wrong is named with its place")
  func place() throws {
    for (wrong, message) in [
      (#"{"fieldName":"a"}"#, "'fieldName' is not known in sortDescriptors[1]; known are key, ascending"),
      (#"{"key":"a","nulls":"middle"}"#, "sortDescriptors[1] takes one of default, first, last for nulls"),
      (#"{"key":"tags.@max"}"#, "'@max' is not known at the end of the key 'tags.@max'"),
    ] {
      let elements = [try JSON(parsing: #"{"key":"tags.@count"}"#), try JSON(parsing: wrong)]
      let error = try #require(throws: RecordError.self) {
        try SortDescriptor.list(elements, named: "sortDescriptors")
      }
      #expect(error.message.hasPrefix(message), "\(error.message)")
      #expect(error.details == [.init(name: "parameter", text: "sortDescriptors[1]")])
    }
  }

  @Test(
    "anything else is refused",
    arguments: [
      "[]", "{}", #"{"key":1}"#, #"{"key":""}"#, #"{"key":"a..b"}"#, #"{"key":"a","ascending":1}"#,
      #"{"key":"a","nulls":"middle"}"#, #"{"key":"a","collation":"german"}"#, #"{"key":"a","order":"asc"}"#,
      #"{"key":"a","key":"b"}"#, #"{"key":"a","relativeLocation":{"latitude":1,"longitude":2}}"#,
      #"{"key":"a","relativeLocation":{"$location":{"latitude":91,"longitude":2}}}"#,
      #"{"key":"a","relativeLocation":{"$location":{"latitude":1,"longitude":2}},"collation":"localized"}"#,
    ])
  func refusal(text: String) throws {
    let json = try JSON(parsing: text)
    #expect(throws: RecordError.self) { try SortDescriptor(json: json) }
  }
}
