import JSONRPC
import Testing

@Suite struct JSONWriterTests {
  private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("commas stand between values and nowhere else")
  func commas() throws {
    let inner = try JSON(parsing: " [ 1 ] ")
    let text = written { writer in
      writer.beginObject()
      writer.key("a")
      writer.beginArray()
      writer.int(1)
      writer.beginArray()
      writer.endArray()
      writer.beginObject()
      writer.endObject()
      writer.null()
      writer.endArray()
      writer.key("b")
      writer.bool(true)
      writer.key(JSON(unchecked: Array(#""\u0063""#.utf8)))
      writer.raw(inner)
      writer.key("d")
      writer.raw(Array("{}".utf8))
      writer.endObject()
    }
    #expect(text == #"{"a":[1,[],{},null],"b":true,"\u0063":[ 1 ],"d":{}}"#)
  }

  @Test("strings are escaped where JSON demands it, and read back the same")
  func strings() throws {
    #expect(
      written { $0.string("a\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é😀\u{2028}") }
        == "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é😀\u{2028}\"")
    for length in 0..<20 {
      for scalar in ["\"", "\\", "\n", "\u{1}", "é", "漢", "😀", "e\u{301}"] {
        let value = String(repeating: "a", count: length) + scalar + "aaaaaaaaa" + scalar
        let text = written { $0.string(value) }
        #expect(try JSON(parsing: text).stringValue.map { Array($0.utf8) } == Array(value.utf8))
      }
    }
  }

  @Test("integers are written to the ends of Int64")
  func integers() {
    for value in [0, 1, -1, 9, 10, -10, 123456789, Int64.max, Int64.min] {
      #expect(written { $0.int(value) } == "\(value)")
    }
  }

  @Test("doubles are the shortest digits that read back, and never look like an integer")
  func doubles() throws {
    for (value, text) in [
      (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (0.1 + 0.2, "0.30000000000000004"), (1e16, "1e+16"),
      (1e100, "1e+100"), (.leastNonzeroMagnitude, "5e-324"), (-1.5, "-1.5"),
      (9007199254740992, "9007199254740992.0"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.nan, "null"), (.infinity, "null"),
    ] as [(Double, String)] {
      #expect(written { $0.double(value) } == text)
    }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      let json = try JSON(parsing: written { $0.double(value) })
      #expect(json.doubleValue?.bitPattern == value.bitPattern && json.int64Value == nil)
    }
  }
}
