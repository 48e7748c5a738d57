import CLinux
import Glibc
import JSONRPC
import Testing

@testable import Records

struct PredicateParserTests {
  @Test("as many levels of parentheses and NOT as are allowed are read, one more is refused at its column")
  func depth() throws {
    let limit = Predicate.maximumDepth
    func text(_ opening: String, _ closing: String, _ count: Int) -> String {
      String(repeating: opening, count: count) + "a == 1" + String(repeating: closing, count: count)
    }
    let record = StoredRecord(body: try JSON(parsing: #"{"fields":{"a":1}}"#))
    #expect(try Predicate(parsing: text("(", ")", limit)).matches(record))
    #expect(try Predicate(parsing: text("!", "", limit)).matches(record))
    #expect(try Predicate(parsing: text("(b == 2 OR ", ")", limit)).matches(record))
    #expect(column(text("(", ")", limit + 1)) == limit + 1)
    #expect(column(text("!", "", limit + 1)) == limit + 1)
  }

  @Test("hostile text is answered on a small stack, in little time")
  func hostileText() {
    onSmallStack {
      let clock = ContinuousClock()
      let time = clock.measure {
        let megabyte = 1 << 20
        #expect(column(String(repeating: "(", count: 100_000)) == Predicate.maximumDepth + 1)
        #expect(
          column(String(repeating: "(", count: 100_000) + "a" + String(repeating: ")", count: 100_000)) != nil
        )
        #expect(column("a == '" + String(repeating: "x", count: megabyte)) == megabyte + 7)
        #expect(column(String(repeating: "NOT ", count: 20_000)) != nil)
        #expect(column("a == " + String(repeating: "(", count: 100_000) + "1") != nil)
        #expect(column("a IN {" + String(repeating: "1,", count: 20_000)) == 40_007)
        #expect(column(String(repeating: "{", count: 50_000)) != nil)
        #expect(column(String(repeating: "a == 1 AND ", count: 5000)) == 55_001)
        #expect(column(String(repeating: "x.", count: 20_000)) == 40_001)
        let many = String(repeating: "a == 1 OR ", count: 5000) + "a == 2"
        #expect(
          (try? Predicate(parsing: many))?.matches(StoredRecord(body: JSON(unchecked: Array("{}".utf8))))
            == false)
        let deep =
          String(repeating: "(b == 2 OR NOT ", count: 500) + "a == 1" + String(repeating: ")", count: 500)
        #expect(
          (try? Predicate(parsing: deep))?.matches(StoredRecord(body: JSON(unchecked: Array("{}".utf8))))
            != nil)
      }
      #expect(time < .seconds(60))
    }
  }

  @Test(
    "as many levels of an expression as are allowed are read and worked out on a small stack, one more is refused"
  )
  func expressionDepth() {
    let limit = Predicate.maximumExpressionDepth
    func deep(_ opening: String, _ inner: String, _ closing: String, _ count: Int) -> String {
      String(repeating: opening, count: count) + inner + String(repeating: closing, count: count)
    }
    onSmallStack {
      let record = StoredRecord(body: JSON(unchecked: Array(#"{"fields":{"a":1,"s":"1"}}"#.utf8)))
      for (opening, inner, closing, operation) in [
        ("(", "a", ")", "> 0"), ("(a + ", "a", ")", "> 0"), ("CAST(", "s", ", 'NSString')", "== '1'"),
        ("", "a", " + a", "> 0"), ("- ", "a", "", "!= 0"), ("add:to:(a, ", "a", ")", "> 0"),
        ("2 - (", "a", ")", "> 0"),
        ("", "a", " ** a", "== 1"),
      ] {
        let text = deep(opening, inner, closing, limit) + " " + operation
        let predicate = try? Predicate(parsing: text)
        #expect(predicate?.matches(record) == true, "\(opening)")
        #expect(predicate?.matchesByDefinition(record) == true, "\(opening)")
        #expect((predicate?.text).flatMap { try? Predicate(parsing: $0) } == predicate, "\(opening)")
        #expect(column(deep(opening, inner, closing, limit + 1) + " " + operation) != nil, "\(opening)")
      }
      // Deep in a predicate too.
      let both = deep("(b == 2 OR ", deep("(a + ", "a", ")", limit) + " > 0", ")", 500)
      #expect((try? Predicate(parsing: both))?.matches(record) == true)
    }
  }

  @Test(
    "as many minus signs in a row as are allowed are read, one more is refused at its column",
    arguments: ["1", "1.5", "(1)", "a", "NULL"])
  func minuses(operand: String) {
    let limit = Predicate.maximumExpressionDepth
    func text(_ count: Int) -> String { "n == " + String(repeating: "-", count: count) + operand }
    #expect((try? Predicate(parsing: text(limit))) != nil)
    #expect(column(text(limit + 1)) == 5 + limit + 1)
    #expect(column(text(60_000)) == 5 + limit + 1)
  }

  @Test("long chains of constants are worked out while they are read, whatever their length")
  func longChains() throws {
    let record = StoredRecord(body: JSON(unchecked: Array("{}".utf8)))
    #expect(try Predicate(parsing: String(repeating: "1 + ", count: 10_000) + "1 == 10001").matches(record))
    #expect(
      try Predicate(parsing: "a == " + String(repeating: "2 * ", count: 10_000) + "0").text == "a == NULL")
  }

  @Test("hostile expressions are answered on a small stack, in little time")
  func hostileExpressions() {
    onSmallStack {
      let clock = ContinuousClock()
      let time = clock.measure {
        let many = 100_000
        for opening in [
          "(", "-", "- (", "{", "({", "CAST(", "add:to:(", "a[", "a + (", "a ** -(",
          "distanceToLocation:fromLocation:(",
          "a + ", "a IN {", "a == -(", "x WITHIN POLYGON(", "ANY ", "SELF ", "a MATCHES ", "now() + ",
          "(a + b) * (",
          "a[0].b[", "f:g:", "a:", "a['", "NOT (a + ", "(((a) + 1) == 2 OR ",
        ] {
          #expect(column(String(repeating: opening, count: many / opening.utf8.count)) != nil, "\(opening)")
          let count = many / opening.utf8.count
          let closed = String(repeating: opening, count: count) + "a" + String(repeating: ")", count: count)
          #expect(column(closed + " == 1") != nil, "\(opening)")
        }
        #expect(column("a" + String(repeating: "[0]", count: 20_000) + " == 1") == 5)
        #expect(column("a" + String(repeating: "['x']", count: 10_000) + " == 1") == nil)
        #expect(column("a" + String(repeating: " - a", count: 20_000) + " == 1") == 1)
      }
      #expect(time < .seconds(60))
    }
  }

  @Test("regular expressions and searches for words are counted, and one too many is refused at its column")
  func searches() {
    let limit = Predicate.maximumSearches
    func text(_ count: Int) -> String {
      (0..<count).map { $0 % 2 == 0 ? "a MATCHES 'x'" : "SELF CONTAINS 'y'" }.joined(separator: " OR ")
    }
    #expect(column(text(limit)) == nil)
    #expect(column(text(limit + 1)) == text(limit + 1).count - 2)
  }

  @Test("a variable that stands in the text many times doesn't multiply what is kept without end")
  func multipliedVariable() throws {
    let variables = try JSON(parsing: #"{"x":"\#(String(repeating: "x", count: 1 << 20))"}"#)
    let text = (0..<1000).map { _ in "a == $x" }.joined(separator: " OR ")
    let error = #expect(throws: RecordError.self) { try Predicate(parsing: text, variables: variables) }
    #expect(
      error?.details.first { $0.name == "column" }.map { String(decoding: $0.json, as: UTF8.self) } == "171")
    #expect(throws: Never.self) { try Predicate(parsing: "a == $x OR b == $x", variables: variables) }
  }

  @Test("now() is the moment given, the clock's when none is")
  func now() throws {
    let record = StoredRecord(
      body: JSON(unchecked: Array(#"{"fields":{"d":{"$date":"2026-12-01T00:00:00Z"}}}"#.utf8)))
    #expect(try Predicate(parsing: "d == now()", now: 1_796_083_200_000).matches(record))
    #expect(try Predicate(parsing: "d == now() + 0.001", now: 1_796_083_199_999).matches(record))
    let later = StoredRecord(
      body: JSON(unchecked: Array(#"{"fields":{"d":{"$date":"9000-12-01T00:00:00Z"}}}"#.utf8)))
    let earlier = StoredRecord(
      body: JSON(unchecked: Array(#"{"fields":{"d":{"$date":"2020-12-01T00:00:00Z"}}}"#.utf8)))
    #expect(try Predicate(parsing: "d > now()").matches(later))
    #expect(try Predicate(parsing: "d < now()").matches(earlier))
  }

  @Test("what is constant is a value in the tree, for those who plan by it")
  func constants() throws {
    #expect(try Predicate(parsing: "a == 2 * (3 + 4)") == Predicate(parsing: "a == 14"))
    #expect(
      try Predicate(parsing: "a > now() - 60", now: 60_000)
        == Predicate(parsing: "a > CAST('1970-01-01T00:00:00Z', 'NSDate')"))
    #expect(try Predicate(parsing: "tags[SIZE] == 2") == Predicate(parsing: "tags.@count == 2"))
    #expect(try Predicate(parsing: "o['x'].y == 2") == Predicate(parsing: "o.x.y == 2"))
    #expect(try Predicate(parsing: "allTokens CONTAINS[cd] 'x'") == Predicate(parsing: "SELF CONTAINS 'x'"))
    #expect(try Predicate(parsing: "a ==[cl] 'x'") == Predicate(parsing: "a ==[c] 'x'"))
  }

  @Test("the paths are those of all expressions, in their order")
  func paths() throws {
    let predicate = try Predicate(
      parsing:
        "a + b.c > 1 AND (CAST(d, 'NSDate') < now() OR e[0].f IN {g, 1}) AND NOT SELF CONTAINS 'x' AND h == 1"
    )
    #expect(predicate.paths.map(\.description) == ["a", "b.c", "d", "e.f", "g", "h"])
    #expect(predicate.mayFollowReferences)
    #expect(try !Predicate(parsing: "a == 1 AND b.recordName == 'x'").mayFollowReferences)
  }

  @Test("AND, OR and redundant parentheses leave one flat tree")
  func flatTree() throws {
    let tree = try Predicate(parsing: "(a == 1 AND (b == 2 AND c == 3)) AND ((d == 4))")
    #expect(tree.text == "a == 1 AND b == 2 AND c == 3 AND d == 4")
    #expect(try Predicate(parsing: "a == 1 OR (b == 2 OR c == 3)").text == "a == 1 OR b == 2 OR c == 3")
    #expect(try Predicate(parsing: "a==1 and(b==2 or c==3)").text == "a == 1 AND (b == 2 OR c == 3)")
    #expect(try Predicate(parsing: "not(a=1&&b<>2)").text == "NOT (a == 1 AND b != 2)")
  }

  @Test(
    "values without a literal are told apart in the text",
    arguments: [#"{}"#, "[]", #"{"$bytes":""}"#, "null", #""""#])
  func distinctTexts(argument: String) throws {
    let texts = try [#"{}"#, "[]", #"{"$bytes":""}"#, "null", #""""#].map {
      try Predicate(parsing: "a == %@", arguments: [JSON(parsing: $0)]).text
    }
    #expect(
      texts.filter { $0 == (try? Predicate(parsing: "a == %@", arguments: [JSON(parsing: argument)]).text) }
        .count == 1)
  }

  @Test("the error says what was expected and what was found")
  func message() {
    let error = #expect(throws: RecordError.self) { try Predicate(parsing: "name foo 'x'") }
    #expect(error?.code == .invalidArguments)
    #expect(error?.message == "the predicate can't be read at column 6: expected an operator, found foo")
    #expect(error?.details.map(\.name) == ["column", "expected"])
    #expect(error?.details.last.map { String(decoding: $0.json, as: UTF8.self) } == #""an operator""#)
  }

  @Test(
    "what people write who know another language is answered with how it is written here",
    arguments: [
      (#"code MATCHES '\d+'"#, #"a backslash itself is written \\, also in a pattern: '\\d+'"#),
      ("age IN (17, 30)", "a list stands in braces, {…}"),
      ("age BETWEEN (17, 30)", "a list stands in braces, {…}; expected two bounds in braces, {low, high}"),
      ("name IS NULL", "null is found with = NULL"),
      ("name CONTAINS[n] 'a'", "(and p with SELF CONTAINS and TOKENMATCHES)"),
      ("age > 3", "1 argument is given and none used"),
      ("age > $min", "there is no variable min (given: low, high)"),
    ])
  func advice(text: String, advice: String) throws {
    let isForVariables = text.contains("$")
    let error = #expect(throws: RecordError.self) {
      try Predicate(
        parsing: text, arguments: isForVariables ? [] : [JSON(parsing: "1")],
        variables: isForVariables ? JSON(parsing: #"{"low":1,"high":2}"#) : nil)
    }
    #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
  }

  @Test("parentheses around the right side are no list by themselves")
  func parenthesizedLists() throws {
    for text in ["a IN ({1, 2})", "a IN ((b))", "a BETWEEN ({1, 2})", "a IN ('x')"] {
      #expect(throws: Never.self) { try Predicate(parsing: text) }
    }
  }

  private func column(_ text: String) -> Int? {
    do {
      _ = try Predicate(parsing: text)
      return nil
    } catch {
      return error.details.first { $0.name == "column" }.flatMap {
        Int(String(decoding: $0.json, as: UTF8.self))
      }
    }
  }

  /// Runs `body` on a thread with 1 MiB of stack, an eighth of what threads get by default.
  private func onSmallStack(_ body: @escaping () -> Void) {
    final class Work {
      let body: () -> Void
      init(_ body: @escaping () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var thread = pthread_t()
    let started = pthread_create(
      &thread, &attributes,
      { context in
        context.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Work(body)).toOpaque())
    #expect(started == 0)
    pthread_join(thread, nil)
  }
}
