import JSONRPC
import Records
import SQLite
import Testing

@testable import RecordStore

struct FullTextIndexTests {
  let store: FullTextFixture

  init() throws { store = try FullTextFixture() }

  @Test(
    "nothing in a text or an operand is read as the engine's syntax",
    arguments: [
      "multi-agent", "20.04", "who's", "@nasa", "a*", "a AND b", "a OR", "NOT a", "NEAR(a b, 2)", "NEAR",
      "AND", "c0:a",
      "{c0 c1}:a", "-c0:a", "^a", "a\"b", "\"a", "a' OR 1=1 --", "(a", "a)", "a + b", "a;b", "fullText7",
      "'delete' a",
      "a\u{0}b", "a\\b", "%a_", "a · b", "ÄÖÜ ß", "Ελλάς", "мир", "محمد", "ภาษา", "中文", "サーバー", "서버", "👍🏽",
      "5€", "🇩🇪",
    ])
  func hostileText(text: String) throws {
    var writer = JSONWriter()
    writer.string(text)
    let json = String(decoding: writer.bytes, as: UTF8.self)
    try store.save(1, #"{"a":\#(json)}"#)
    try store.save(2, #"{"b":["unrelated",\#(json)]}"#)
    try store.save(3, #"{"b":"unrelated"}"#)
    for prefixes in [false, true] {
      #expect(try store.rows(text, prefixes: prefixes) == [1, 2])
      #expect(try store.rows(text, .anyTerm, field: "a", prefixes: prefixes) == [1])
    }
    try store.delete(1)
    try store.save(2, #"{"b":"unrelated"}"#)
    #expect(try store.rows(text) == [])
    #expect(try store.vocabulary() == ["unrelated"])
  }

  @Test("a query without any word finds nothing, alone and among others", arguments: ["\"", "", "- *", "·"])
  func noWords(operand: String) throws {
    try store.save(1, #"{"a":"\" - * ·","b":"word"}"#)
    let empty = FullTextCondition(WordQuery(operand, mode: .anyTerm)!)
    #expect(try store.rows([empty]) == [])
    #expect(try store.rows([FullTextCondition(WordQuery("word", mode: .anyTerm)!), empty]) == [])
  }

  @Test("no sequence of words goes on from one text to the next")
  func gaps() throws {
    try store.save(1, #"{"a":["one two","three four","","five"],"b":"six"}"#)
    #expect(try store.rows("one-two") == [1])
    for operand in ["two-three", "four-five", "five-six", "two-·-three"] {
      #expect(try store.rows(operand) == [])
    }
    #expect(try store.rows("two three five six") == [1])
  }

  @Test("only texts and lists of texts are searched, and each under its own name")
  func fields() throws {
    try store.save(
      1,
      #"{"a":"alpha","l":["beta"],"n":5,"d":{"$date":"2026-01-01T00:00:00Z"},"o":{"x":"gamma"},"é":"delta","e\u0301":"eta"}"#
    )
    #expect(try store.rows("alpha", field: "a") == [1])
    #expect(try store.rows("alpha", field: "l") == [])
    #expect(try store.rows("beta", field: "l") == [1])
    #expect(try store.rows("delta", field: "é") == [1])
    #expect(try store.rows("eta", field: "é") == [])
    #expect(try store.rows("eta", field: "e\u{301}") == [1])
    for field in ["n", "o", "o.x", "none"] {
      #expect(try store.rows("gamma alpha 5", .anyTerm, field: field) == [])
    }
    for word in ["gamma", "2026", "5", "T", "r1"] { #expect(try store.rows(word) == []) }
  }

  @Test("fields beyond those that have a column of their own are found too")
  func manyFields() throws {
    let count = FullTextColumns.count + 10
    for row in 0..<Int64(count) {
      // Each record has one field of its own, so that the columns are given out one after the other.
      try store.save(row + 1, #"{"f\#(row)":"word number\#(row)","n":1}"#)
    }
    try store.save(99, "{" + (0..<count).map { #""f\#($0)":"text\#($0)""# }.joined(separator: ",") + "}")
    for row in 0..<Int64(count) {
      let field = "f\(row)"
      #expect(try store.rows("number\(row)", field: field) == [row + 1])
      let found = try store.rows("word", field: field)
      #expect(row < FullTextColumns.count - 1 ? found == [row + 1] : found.contains(row + 1))
      #expect(try store.rows("text\(row)", field: field) == [99])
    }
    #expect(try store.rows("word").count == count)
    for row in 0..<count - 1 { #expect(try store.rows("text\(row)-text\(row + 1)") == []) }
    for row in 1...99 { try store.delete(Int64(row)) }
    #expect(try store.vocabulary() == [])
  }

  @Test("long words are found, whole and by their beginning", arguments: ["x", "é", "中", "👍", "ж"])
  func longWords(letter: String) throws {
    let word = "ab" + String(repeating: letter, count: 3000)
    try store.save(1, #"{"a":"\#(word)"}"#)
    try store.save(2, #"{"a":"\#(word)z"}"#)
    #expect(try store.rows("ab", prefixes: true) == [1, 2])
    for length in 10..<80 {
      let beginning = "ab" + String(repeating: letter, count: length)
      #expect(try store.rows(beginning, prefixes: true) == [1, 2])
    }
    // A thousand words of one character are as many as may be asked for.
    guard letter != "中", letter != "👍" else { return }
    #expect(try store.rows(word).contains(1))
    #expect(try store.rows(word + "z").contains(2))
  }

  @Test(
    "a query of a thousand words is answered", arguments: [WordQuery.Mode.anyTerm, .allTerms], [" ", "-"])
  func largeQuery(mode: WordQuery.Mode, separator: String) throws {
    let words = (0..<1000).map { "w\($0)" }
    try store.save(1, #"{"a":"\#(words.joined(separator: " "))"}"#)
    try store.save(2, #"{"a":"w7 w8"}"#)
    let operand = words.joined(separator: separator)
    for prefixes in [false, true] {
      let found = try store.rows(operand, mode, field: "a", prefixes: prefixes)
      #expect(found == (mode == .anyTerm && separator == " " ? [1, 2] : [1]))
    }
  }

  @Test("many large conditions together find all that fulfil them")
  func manyConditions() throws {
    let words = (0..<900).map { "w\($0)" }
    try store.save(1, #"{"a":"\#(words.joined(separator: " "))"}"#)
    let condition = FullTextCondition(WordQuery(words.joined(separator: " "), mode: .allTerms)!, field: "a")
    #expect(try store.rows(Array(repeating: condition, count: 50)) == [1])
  }

  @Test("rows come in their order, from behind a given one, and are counted up to a limit")
  func order() throws {
    for row in (1...50).reversed() {
      try store.save(Int64(row), #"{"a":"odd \#(row % 2 == 0 ? "even" : "")"}"#)
    }
    let condition = FullTextCondition(WordQuery("even", mode: .anyTerm)!)
    #expect(try store.rows([condition]) == Array(stride(from: 2, through: 50, by: 2)))
    #expect(try store.rows([condition], after: 40) == [42, 44, 46, 48, 50])
    let search = try FullTextSearch([condition], in: store.index, store.connection)
    #expect(try search.count(upTo: 10, in: store.connection) == 10)
    #expect(try search.count(upTo: 1000, in: store.connection) == 25)
    var visited = 0
    try search.forEach(in: store.connection) { _, _ in
      visited += 1
      return visited < 3
    }
    #expect(visited == 3)
  }

  @Test("what was undone is not in the index, nor are the columns that it gave out")
  func rollback() throws {
    try store.save(1, #"{"a":"one"}"#)
    try store.undo {
      try store.save(1, #"{"a":"two","b":"three"}"#)
      try store.save(2, #"{"c":"four"}"#)
    }
    try store.save(2, #"{"c":"five"}"#)
    #expect(try store.rows("one") == [1])
    #expect(try store.rows("two three four", .anyTerm) == [])
    #expect(try store.rows("five", field: "c") == [2])
    #expect(try store.vocabulary() == ["five", "one"])
  }

  @Test("a replaced record is written only when its words differ, and tells how much it grew")
  func growth() throws {
    func record(_ fields: String) -> StoredRecord {
      StoredRecord(body: JSON(unchecked: Array(#"{"fields":\#(fields)}"#.utf8)))
    }
    let index = store.index
    let connection = store.connection
    let first = record(#"{"a":"One two","n":1}"#)
    let second = record(#"{"n":2,"a":"one, TWO!"}"#)
    let third = record(#"{"a":"one two three","b":""}"#)
    #expect(try index.insert(first, id: 1, in: connection) == 8)
    let changes = try connection.database.integer("SELECT total_changes()")
    #expect(try index.replace(first, with: second, id: 1, in: connection) == 0)
    #expect(try connection.database.integer("SELECT total_changes()") == changes)
    #expect(try index.replace(second, with: third, id: 1, in: connection) == 6)
    #expect(try index.replace(third, with: record("{}"), id: 1, in: connection) == -14)
    #expect(try store.vocabulary() == [])
    #expect(try index.remove(record("{}"), id: 1, in: connection) == 0)
  }

  @Test("a dropped index is removed in parts, and leaves nothing")
  func removal() throws {
    var generator = Generator(seed: 3)
    for row in 1...2000 {
      let words = (0..<20).map { _ in "w\(generator.next() % 100_000)" }.joined(separator: " ")
      try store.save(Int64(row), #"{"a":"\#(words)"}"#)
    }
    var parts = 1
    while try !store.index.removePart(in: store.connection, mayGoOn: { false }) { parts += 1 }
    #expect(parts > 2)
    let database = store.connection.database
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'fullText7%'") == 0)
    #expect(try database.integer("SELECT count(*) FROM fullTextField") == 0)
    #expect(try store.index.removePart(in: store.connection, mayGoOn: { true }))
    try store.index.create(in: store.connection)
    try store.index.insert(try #require(store.records[5]), id: 5, in: store.connection)
    #expect(try store.vocabulary().count > 15)
  }
}
