import Testing

@testable import listsrpc

struct InputFileTests {
  @Test(
    "Lines come out with any line end, the last one also without", arguments: [1, 65_535, 65_536, 70_000])
  func lines(length: Int) throws {
    let long = String(repeating: "x", count: length)
    let file = try TextFile("a\r\n\n\(long)\nlast")
    let input = try InputFile(file.path)
    var lines: [String] = []
    while case .bytes(let line)? = try input.nextLine() {
      lines.append(String(decoding: line, as: UTF8.self))
    }
    #expect(lines == ["a", "", long, "last"])
    #expect(input.position == input.size)
  }

  @Test("A line that is too long is passed over, and the next one is read", arguments: [3, 9, 400_000])
  func longLines(length: Int) throws {
    let long = String(repeating: "x", count: length)
    let file = try TextFile("ab\r\n\(long)\ncd\n\(long)\n", named: "lines")
    let input = try InputFile(file.path)
    var lines: [String] = []
    while let line = try input.nextLine(limit: 2) {
      switch line {
      // What came with the same read is there already, and is no reason to refuse it.
      case .bytes(let bytes): lines.append(bytes.count > 9 ? "long" : String(decoding: bytes, as: UTF8.self))
      case .tooLong: lines.append("long")
      }
    }
    let expected = length > 9 ? "long" : long
    #expect(lines == ["ab", expected, "cd", expected])
    #expect(input.position == 2 * length + 9)
  }

  @Test("A file that can't be read is named", arguments: ["/nonexistent/x", "/"])
  func unreadable(path: String) {
    #expect { try InputFile(path) } throws: { error in
      guard case .trouble(let text)? = error as? Failure else { return false }
      return text.contains("can't read \(path)")
    }
  }
}
