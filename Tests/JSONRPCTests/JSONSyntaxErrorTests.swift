import JSONRPC
import Testing

@Suite struct JSONSyntaxErrorTests {
  private func fault(_ bytes: [UInt8]) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
      _ = try JSON(parsing: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "a fault says what was expected and at which byte",
    arguments: [
      ("", 0, .unexpectedEnd), (" ", 1, .unexpectedEnd), ("[1", 2, .unexpectedEnd),
      ("\"a", 2, .unexpectedEnd),
      ("tru", 3, .unexpectedEnd), ("1.", 2, .unexpectedEnd), ("[1,]", 3, .expectedValue),
      ("trux", 0, .expectedValue), ("x", 0, .expectedValue), ("{1:2}", 1, .expectedMemberName),
      ("{\"a\":1,}", 7, .expectedMemberName), ("{\"a\" 1}", 5, .expectedColon),
      ("[1 2]", 3, .expectedCommaOrBracket), ("[1}", 2, .expectedCommaOrBracket),
      ("{\"a\":1]", 6, .expectedCommaOrBrace), ("1 2", 2, .trailingText), ("01", 1, .trailingText),
      ("-x", 1, .invalidNumber), ("1.e5", 2, .invalidNumber), ("1ex", 2, .invalidNumber),
      ("\"\\x\"", 2, .invalidEscape), ("\"\\u12G4\"", 5, .invalidEscape),
      ("\"a\\ud800b\"", 2, .loneSurrogate),
      ("\"\\udc00\"", 1, .loneSurrogate), ("\"\\ud800\\u0041\"", 1, .loneSurrogate),
      ("\"a\tb\"", 2, .controlCharacter), ("\"a\nb\"", 2, .controlCharacter),
      ("\u{FEFF}{}", 0, .expectedValue),
    ] as [(String, Int, JSONSyntaxError.Reason)])
  func offsets(text: String, offset: Int, reason: JSONSyntaxError.Reason) throws {
    let fault = try #require(self.fault(Array(text.utf8)))
    #expect(fault == JSONSyntaxError(offset: offset, reason: reason))
    #expect(fault.message.hasSuffix(" at byte \(offset)"))
  }

  @Test("invalid UTF-8 is refused wherever it stands in a string")
  func invalidUTF8() {
    for sequence in [
      [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0xAF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
      [0xC3, 0x41], [0xE2, 0x41, 0x80], [0xE2, 0x82, 0x41], [0xF0, 0x9F, 0x98, 0x41],
    ] as [[UInt8]] {
      for padding in 0..<10 {
        let before = [UInt8(ascii: "\"")] + Array(repeating: UInt8(ascii: "a"), count: padding)
        for after in [[UInt8(ascii: "\"")], [], Array("aaaaaaaa\"".utf8)] {
          let bytes = before + sequence + after
          #expect(fault(bytes) == JSONSyntaxError(offset: padding + 1, reason: .invalidUTF8), "\(bytes)")
        }
      }
    }
  }

  @Test("each character that may not stand in a string is found at each place")
  func controlCharacters() {
    for byte in (0..<0x20) as Range<UInt8> {
      for padding in 0..<17 {
        let bytes = Array(
          "\"\(String(repeating: "é", count: padding % 2))\(String(repeating: "a", count: padding))".utf8)
        #expect(
          fault(bytes + [byte] + Array("aaaaaaaa\"".utf8))
            == JSONSyntaxError(offset: bytes.count, reason: .controlCharacter))
      }
    }
  }

  @Test("the stated depth is reached, on any thread; one more level is a fault")
  func depth() throws {
    func nested(_ levels: Int) -> [UInt8] {
      Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
    }
    #expect(fault(nested(512)) == nil)
    #expect(fault(nested(513)) == JSONSyntaxError(offset: 512, reason: .tooDeep(limit: 512)))
    #expect(fault(nested(100_000)) == JSONSyntaxError(offset: 512, reason: .tooDeep(limit: 512)))
    let objects = String(repeating: "{\"a\":[", count: 256) + String(repeating: "]}", count: 256)
    #expect(fault(Array(objects.utf8)) == nil)
    #expect(fault(Array("[\(objects)]".utf8))?.reason == .tooDeep(limit: 512))
    // No recursion: a limit may be far beyond what a stack holds.
    let deep = try JSON(parsing: nested(1_000_000), maximumDepth: 1_000_000)
    #expect(deep.elements.count == 1)
  }
}
