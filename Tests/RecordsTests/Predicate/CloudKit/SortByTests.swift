import JSONRPC
import Testing

@testable import Records

struct SortByTests {
  private func list(_ text: String) throws -> [SortDescriptor] {
    try SortDescriptor.list(sortBy: Array(try JSON(parsing: "[" + text + "]").elements))
  }

  @Test("CloudKit's sort descriptors are ours")
  func descriptors() throws {
    let list = try list(
      #"{"fieldName":"name"},{"systemFieldName":"modifiedTimestamp","ascending":false},"#
        + #"{"fieldName":"___createTime","ascending":true},{"fieldName":"place","relativeLocation":{"latitude":1,"longitude":2}},"#
        + #"{"fieldName":"place","relativeLocation":{"$location":{"latitude":1,"longitude":2}},"ascending":false}"#
    )
    let location = Location(latitude: 1, longitude: 2)
    let place = try #require(FieldPath("place"))
    #expect(
      list == [
        SortDescriptor(try #require(FieldPath("name"))),
        SortDescriptor(try #require(FieldPath("modificationDate")), ascending: false),
        SortDescriptor(try #require(FieldPath("creationDate"))),
        SortDescriptor(place, relativeLocation: location),
        SortDescriptor(place, ascending: false, relativeLocation: location),
      ])
    #expect(try self.list("").isEmpty)
  }

  @Test(
    "what is wrong is named by its place",
    arguments: [
      ("1", "sortBy[0]"), ("{}", "sortBy[0]"), (#"{"fieldName":"a"},{"fieldName":"a","x":1}"#, "sortBy[1]"),
      (#"{"fieldName":"a","ascending":1}"#, "sortBy[0].ascending"),
      (#"{"systemFieldName":"x"}"#, "sortBy[0].systemFieldName"),
      (#"{"fieldName":"a..b"}"#, "sortBy[0].fieldName"),
      (#"{"fieldName":"a","relativeLocation":{"latitude":1}}"#, "sortBy[0].relativeLocation"),
      (#"{"fieldName":"a","relativeLocation":3}"#, "sortBy[0].relativeLocation"),
    ])
  func faults(descriptors: String, place: String) throws {
    let error = #expect(throws: RecordError.self) { try list(descriptors) }
    #expect(error?.code == .invalidArguments)
    #expect(error?.details == [.init(name: "parameter", text: place)], "\(error?.message ?? "")")
  }
}
