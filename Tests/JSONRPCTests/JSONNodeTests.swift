import JSONRPC
import Testing

@Suite struct JSONNodeTests {
  @Test("literals make the tree that their text says")
  func literals() throws {
    let name = "x"
    let node: JSONNode = [
      "null": nil, "true": true, "int": 1, "double": 1.0, "string": "a\(name)", "array": [1, "b", []],
      "object": [:],
    ]
    let text = #"{"null":null,"true":true,"int":1,"double":1.0,"string":"ax","array":[1,"b",[]],"object":{}}"#
    #expect(node.description == text)
    #expect(try JSONNode(parsing: text) == node)
    #expect(node["array"]?[1] == "b")
    #expect(node["array"]?[3] == nil && node["none"] == nil)
  }

  @Test("equality is of values: order of members aside, types and bytes not")
  func equality() throws {
    #expect(try JSONNode(parsing: #"{"a":1,"b":[2]}"#) == JSONNode(parsing: #" {"b":[2],"\u0061":1}"#))
    #expect(try JSONNode(parsing: "1") != JSONNode(parsing: "1.0"))
    #expect(try JSONNode(parsing: "1") != JSONNode(parsing: "true"))
    #expect(try JSONNode(parsing: "[1,2]") != JSONNode(parsing: "[2,1]"))
    #expect(try JSONNode(parsing: "\"\u{E9}\"") != JSONNode(parsing: "\"e\u{301}\""))
    #expect(try JSONNode(parsing: #"{"a":1,"a":1}"#) != JSONNode(parsing: #"{"a":1}"#))
    #expect(JSONNode.json(try JSON(parsing: "{ \"a\" : 1 }")) == ["a": 1])
  }

  @Test("numbers beyond Int64 and Double keep their digits")
  func bigNumbers() throws {
    for text in ["9223372036854775808", "-9223372036854775809", "1e400", "123456789012345678901234567890"] {
      #expect(try JSONNode(parsing: text).description == text)
    }
    #expect(try JSONNode(parsing: "9223372036854775807") == .int(.max))
  }
}
