import ArgumentParsing
import JSONRPC
import Testing

@testable import listsrpc

struct SortKeyTests {
  @Test(
    "A sort key says its direction, collation and the place of nulls",
    arguments: [
      ("name", #"{"key":"name","ascending":true}"#), ("-name", #"{"key":"name","ascending":false}"#),
      ("+name", #"{"key":"name","ascending":true}"#),
      ("name:localized", #"{"key":"name","ascending":true,"collation":"localized"}"#),
      (
        "-a.b:localized:nullsFirst",
        #"{"key":"a.b","ascending":false,"collation":"localized","nulls":"first"}"#
      ),
      (
        "place:near=50.5,-4.25",
        #"{"key":"place","ascending":true,"relativeLocation":{"$location":{"latitude":50.5,"longitude":-4.25}}}"#
      ),
    ])
  func descriptors(text: String, json: String) throws {
    #expect(try SortKey(parsing: text).node.json.text == json)
  }

  @Test("Keys come from several options and between commas, in order")
  func several() throws {
    #expect(try SortKey.all(in: ["a,-b", "c"]).map(\.key) == ["a", "b", "c"])
    let keys = try SortKey.all(in: ["name,place:near=1,2:nullsFirst,-size"])
    #expect(keys.map(\.key) == ["name", "place", "size"])
    #expect(keys[1].origin == .init(latitude: 1, longitude: 2) && keys[1].nulls == "first")
  }

  @Test(
    "What is no key is refused by its text",
    arguments: [
      "name:locale", "-", ":localized", "", "a,,b", "a,", "p:near=1", "p:near=91,0", "p:near=a,b",
    ])
  func faults(text: String) {
    #expect(throws: UsageError.self) { try SortKey.all(in: [text]) }
  }
}
