import ArgumentParsing
import JSONRPC
import Testing

@testable import listsrpc

struct AssignmentTests {
  @Test(
    "A value after = is text, after := JSON",
    arguments: [
      ("a=b", "a", #""b""#), ("a=", "a", #""""#), ("a=1", "a", #""1""#), ("a=b=c", "a", #""b=c""#),
      ("a=b:=c", "a", #""b:=c""#), ("a:=1", "a", "1"), ("a:=null", "a", "null"), ("a:b=c", "a:b", #""c""#),
      ("a:=\"x\"", "a", #""x""#), ("a:=[1,{\"b\":2}]", "a", #"[1,{"b":2}]"#), ("ä ö=ü", "ä ö", #""ü""#),
      ("n:=9007199254740993", "n", "9007199254740993"),
    ])
  func values(word: String, key: String, json: String) throws {
    let assignment = try Assignment(parsing: word)
    #expect(assignment.key == key)
    #expect(assignment.value.json.text == json)
  }

  @Test("What is no assignment is refused by its word", arguments: ["a", "=b", ":=1", "", "a:=", "a:=yes"])
  func faults(word: String) {
    let error = #expect(throws: UsageError.self) { try Assignment(parsing: word) }
    #expect(error?.message.contains(word.hasPrefix("a:=") ? "'a'" : "'\(word)'") == true)
  }
}
