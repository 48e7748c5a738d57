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
