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
