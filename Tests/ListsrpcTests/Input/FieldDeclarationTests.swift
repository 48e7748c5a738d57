import ArgumentParsing
import JSONRPC
import Testing

@testable import listsrpc

struct FieldDeclarationTests {
  @Test(
    "A word names a field, its type and its indexes",
    arguments: [
      ("size:int64", #"{"type":"int64"}"#), ("size:int64:none", #"{"type":"int64","indexes":[]}"#),
      ("name:string:queryable,sortable", #"{"type":"string","indexes":["queryable","sortable"]}"#),
      ("n:string:sortable:localized", #"{"type":"string","indexes":["sortable"],"collation":"localized"}"#),
      ("tags:string-list:queryable", #"{"type":"list<string>","indexes":["queryable"]}"#),
      ("tags:list<date>", #"{"type":"list<date>"}"#),
    ])
  func words(word: String, json: String) throws {
    let (name, declaration) = try FieldDeclaration(parsing: word).member
    #expect(name == word.prefix { $0 != ":" })
    #expect(declaration.json.text == json)
  }

  @Test(
    "What declares no field is refused by its word",
    arguments: [
      "name", ":string", "name:text", "name:string:fast", "name:string:", "a:string:queryable:x", "a:-list",
    ])
  func faults(word: String) {
    let error = #expect(throws: UsageError.self) { try FieldDeclaration(parsing: word) }
    #expect(error?.message.contains("'\(word)'") == true)
  }
}

struct SchemaCardTests {
  @Test(
    "A size is in the unit that fits",
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (4300, "4.2 KiB"), (32 << 20, "32 MiB"),
      (3 << 30, "3.0 GiB"),
    ])
  func sizes(bytes: Int, text: String) {
    #expect(SchemaCard.size(Int64(bytes)) == text)
  }
}
