import Glibc
import JSONRPC
import ServiceFixture
import Testing

@testable import listsrpc

/// The rows as texts: a value's JSON, or the fault with `!` before it; each with its place's last words.
private func texts(_ source: any RowSource) throws -> [String] {
  var rows: [String] = []
  while let row = try source.next() {
    switch row {
    case .value(let value, let place): rows.append("\(place.split(separator: " ").last ?? ""): \(value.text)")
    case .fault(let reason, let place): rows.append("\(place.split(separator: " ").last ?? ""): !\(reason)")
    }
  }
  return rows
}

struct JSONRowsTests {
  private func rows(_ text: String, at place: String? = nil) throws -> [String] {
    let file = try TextFile(text)
    return try texts(JSONRows(InputFile(file.path), path: place.map { JSONPath($0) }))
  }

  @Test("JSON lines, with empty ones between them and none at the end")
  func lines() throws {
    #expect(try rows("{\"a\":1}\n\n  \n{\"a\":2}") == [#"1: {"a":1}"#, #"4: {"a":2}"#])
  }

  @Test("Values over several lines, as jq prints them")
  func pretty() throws {
    let parts = try rows("{\n \"a\": \"}\\\"{\"\n}\n{\"b\":[\n1]}\n")
    #expect(parts == ["1: {\n \"a\": \"}\\\"{\"\n}", "4: {\"b\":[\n1]}"])
  }

  @Test("Several values on a line are a row each, and the last may go on over lines")
  func severalOnALine() throws {
    let parts = try rows("{\"a\":1} {\"a\":2}\t{\"b\":\n{\"c\":[]}}{\"a\":3}  \n{\"a\":4}")
    #expect(
      parts == [
        #"1: {"a":1}"#, #"1: {"a":2}"#, "1: {\"b\":\n{\"c\":[]}}", #"2: {"a":3}"#, #"3: {"a":4}"#,
      ])
    let damaged = try rows("{\"a\":1} nonsense\n{\"a\":2}} {\"a\":3}")
    #expect(damaged.count == 5)
    #expect(damaged[1].hasPrefix("1: !not JSON") && damaged[3].hasPrefix("2: !not JSON"))
    #expect(damaged.last == #"2: {"a":3}"#)
  }

  @Test("A damaged line is a fault, and the lines after it are read")
  func damaged() throws {
    let parts = try rows("{\"a\":1}\n{\"a\":\"\nnonsense\n{\"a\":}\n{\"a\":2}\n")
    #expect(parts.count == 5)
    #expect(parts.first == #"1: {"a":1}"#)
    #expect(parts[1].hasPrefix("2: !not JSON"))
    #expect(parts.last == #"5: {"a":2}"#)
  }

  @Test("An array's elements are the rows, wherever in the file it is", arguments: ["3166-1", "/3166-1"])
  func places(place: String) throws {
    #expect(try rows(" \n[{\"a\":1},2]") == [#"1: {"a":1}"#, "2: 2"])
    #expect(try rows(#"{"x":0,"3166-1":[{"a":1}]}"#, at: place) == [#"1: {"a":1}"#])
  }

  @Test("A place goes down through objects and arrays; RFC 6901's escapes count")
  func paths() throws {
    #expect(try rows(#"{"a":{"b":[{"c":[1]}]}}"#, at: "a.b.0.c") == ["1: 1"])
    #expect(try rows(#"{"a.b":[1]}"#, at: "a.b") == ["1: 1"])
    #expect(try rows(#"{"a/b":{"~1":[1]}}"#, at: "/a~1b/~01") == ["1: 1"])
    #expect(try rows(#"{"":[1]}"#, at: "/") == ["1: 1"])
  }

  @Test("Where there is no list the error says what there is")
  func missing() throws {
    for (text, place, expected) in [
      (#"{"a":{"b":1}}"#, "c", "an object with 'a'"), (#"{"a":{"b":1}}"#, "a", "an object with 'b'"),
      (#"{"a":"x"}"#, "a", "text"),
    ] {
      #expect { try rows(text, at: place) } throws: { error in
        guard case .trouble(let message)? = error as? Failure else { return false }
        return message.contains(expected)
      }
    }
  }

  @Test("The list in the object that services put around it is found, of one page or of several")
  func wrappers() throws {
    #expect(try rows(#"{"records":[{"a":1},{"a":2}]}"#) == [#"1: {"a":1}"#, #"2: {"a":2}"#])
    #expect(
      try rows("{\n\"syncToken\": \"x\",\"results\" : [\n{\"a\":1}\n],\"count\":1}\n") == [#"1: {"a":1}"#])
    #expect(
      try rows(#"{"records":[{"a":1}],"moreComing":true}"# + "\n" + #"{"records":[{"a":2}]}"#) == [
        #"1: {"a":1}"#, #"1: {"a":2}"#,
      ])
    #expect(try rows(#"{"results":[]}"#) == [])
    // These are rows by themselves.
    #expect(try rows(#"{"name":"x","records":[{}]}"#) == [#"1: {"name":"x","records":[{}]}"#])
    #expect(try rows("{\"records\":[1]}\n{}") == [#"1: {"records":[1]}"#, "2: {}"])
  }

  @Test("What is wrong in a list is told with line and column, and where reading ends")
  func placesOfFaults() throws {
    #expect(
      try rows("[{\"a\":1},\n {\"é\":tru}, 3]") == [
        #"1: {"a":1}"#, "2: !not JSON, line 2, column 7: expected a value", "3: 3",
      ])
    for (text, expected) in [
      ("[1,\n2", "line 2, column 2: the file ends before its list does"),
      ("[1 2]", "line 1, column 4: expected ',' or ']'"), ("[1,,2]", "line 1, column 4: expected a value"),
      ("[1,\n\"a\nb\"]", "is not closed"), ("{\"records\":[{\"a\":1},", "the file ends"),
    ] {
      let last = try rows(text).last ?? ""
      #expect(last.contains("!") && last.contains(expected), "\(text): \(last)")
    }
    #expect(
      try rows("{\"a\":1} {\"a\":}") == [#"1: {"a":1}"#, "1: !not JSON, line 1, column 14: expected a value"])
    #expect(throws: Failure.self) { try rows("{\"records\":[{\"a\":1}] 5") }
  }

  @Test("Lists are read in pieces of any size: the rows are the same")
  func pieces() throws {
    let elements = (0..<300).map {
      #"{"n":\#($0),"t":"é\\\"[{\#(String(repeating: "x", count: $0 * 7))","l":[[],{}]}"#
    }
    let text = #"{"skipped":{"a":["]}"]},"deep":[0,{"list":["# + elements.joined(separator: " ,\n") + "]}]}"
    let whole = try TextFile(text)
    let pipe = try Pipe()
    let process = try spawn(["dd", "if=\(whole.path)", "bs=97", "status=none"], output: pipe.writeEnd)
    pipe.closeWriteEnd()
    defer { waitForEnd(of: process) }
    let source = JSONRows(InputFile(reading: dup(pipe.readEnd), name: "pipe"), path: JSONPath("deep.1.list"))
    #expect(try texts(source).map { String($0.drop { $0 != "{" }) } == elements)
  }

  @Test(
    "A file that was cut short anywhere gives the rows before the cut, and a fault where one is cut in two",
    arguments: [
      #"[{"a":1},{"b":[1,"é\"]"]} , {"c":null}]"#, #"{"records":[{"a":1},{"b":"}"}],"moreComing":false}"#,
      "{\"a\":1}\n{\"b\":\n{\"c\":[2]}} {\"d\":4}\n",
    ])
  func cuts(text: String) throws {
    let whole = try rows(text).map { $0.drop { $0 != " " } }
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count {
      let file = try TextFile(String(decoding: bytes[..<count], as: UTF8.self))
      let source = try JSONRows(InputFile(file.path), path: nil)
      var found: [Substring] = []
      do throws(Failure) {
        while let row = try source.next() {
          guard case .value(let value, _) = row else { break }
          found.append(" " + value.text[...])
        }
      } catch {}
      // A wrapper that is cut before its list is a line by itself, and damaged.
      #expect(whole.starts(with: found), "cut at \(count)")
    }
  }

  @Test("A byte order mark does no harm", arguments: ["{\"a\":1}", "[{\"a\":1}]"])
  func byteOrderMark(text: String) throws {
    #expect(try rows("\u{FEFF}" + text) == rows(text))
    #expect(try rows("\u{FEFF}") == [])
  }

  @Test("A file that is one object around a list says how to import it")
  func advice() {
    #expect { try rows("{\n\"3166-1\": [\n{\"a\":1}]}\n") } throws: { error in
      guard case .trouble(let message)? = error as? Failure else { return false }
      return message.contains("--at '3166-1'")
    }
  }
}

struct CSVRowsTests {
  private func rows(_ text: String, separator: Character = ",") throws -> [String] {
    let file = try TextFile(text)
    return try texts(CSVRows(InputFile(file.path), separator: separator.asciiValue ?? 0x2C))
  }

  @Test("Quotes hold separators, line ends and doubled quotes; empty values are missing")
  func quoted() throws {
    #expect(
      try rows("name,note,n\r\n\"a,b\",\"x\ny\"\"z\"\"\",1\r\nc,,\r\n") == [
        #"2: {"name":"a,b","note":"x\ny\"z\"","n":"1"}"#, #"4: {"name":"c"}"#,
      ])
  }

  @Test("A byte order mark, an empty line and a missing last line end do no harm")
  func oddities() throws {
    #expect(try rows("\u{FEFF}a,b\n1,2\n\n3,4") == [#"2: {"a":"1","b":"2"}"#, #"4: {"a":"3","b":"4"}"#])
    #expect(try rows("\u{FEFF}\"a,b\",\"c\"\n1,2") == [#"2: {"a,b":"1","c":"2"}"#])
    #expect(try rows("a\tb\n1,5\t2", separator: "\t") == [#"2: {"a":"1,5","b":"2"}"#])
    #expect(try rows("") == [])
  }

  @Test("A row that can't be read is a fault at its line, and the others are read")
  func faults() throws {
    let parts = try rows("a,b\n1\n1,2,3\n\"x\"y,2\n3,4\n\"open,5")
    #expect(parts.count == 5)
    #expect(parts[0] == "2: !1 values under 2 names")
    #expect(parts[1] == "3: !3 values under 2 names")
    #expect(parts[2] == "4: !text after a closing quote")
    #expect(parts[3] == #"5: {"a":"3","b":"4"}"#)
    #expect(parts[4] == "6: !a quote that is never closed")
  }

  @Test("An empty text in quotes is a text, and quotes go over the pieces in which a file is read")
  func emptyTexts() throws {
    #expect(try rows("a,b\n\"\",\n") == [#"2: {"a":""}"#])
    #expect(try rows("a\n\"\"\n\n\"\"\"\"") == [#"2: {"a":""}"#, #"4: {"a":"\""}"#])
    let long = String(repeating: "x\"\"\n,", count: 100_000)
    let row = try rows("a,b\n\"\(long)\",1\n")
    #expect(row.count == 1 && row[0].utf8.count > 500_000)
  }

  @Test("A heading that names a field twice, or none, is refused", arguments: ["a,a\n1,2", "a,,b\n1,2,3"])
  func headings(text: String) {
    #expect(throws: Failure.self) { try rows(text) }
  }
}
