import JSONRPC
import ServiceFixture
import Testing

/// What users of other systems reported of queries, each as it would have shown here.
@Suite("Faults reported of queries")
struct QueryFaultsTests {
  let service: ListsdProcess
  let connection: LineConnection

  init() throws {
    service = try ListsdProcess()
    connection = try service.connect()
  }

  func names(where predicate: String, arguments: String = "[]") throws -> [String] {
    try connection.result(
      of: "performQuery",
      """
      {"recordType":"Item","predicate":\(quoted(predicate)),"arguments":\(arguments),\
      "sortDescriptors":[{"key":"recordName"}]}
      """
    ).recordNames
  }

  @Test("Text operands are text, never a pattern: + ( . and ö are themselves")
  func operandsAreText() throws {
    try connection.save("a", #"{"t":"+LR (a.b)"}"#)
    try connection.save("b", #"{"t":"xLR aXb"}"#)
    try connection.save("c", #"{"t":"autoöo"}"#)
    #expect(try names(where: "t CONTAINS '+LR'") == ["a"])
    #expect(try names(where: "t CONTAINS 'a.b'") == ["a"])
    #expect(try names(where: "t BEGINSWITH '('") == [])
    #expect(try names(where: "t CONTAINS 'toöo'") == ["c"])
    #expect(try names(where: "t CONTAINS '%' OR t CONTAINS '_'") == [])
  }

  @Test("[c] folds every script, in queries and in subscriptions alike")
  func caseFoldingIsUnicode() throws {
    let cases = [
      ("t CONTAINS[c] 'ägy'", "Ägypten", "a"), ("t BEGINSWITH[c] 'черв'", "Червоний", "b"),
      ("t ==[c] 'strasse'", "STRASSE", "c"), ("t ==[c] 'straße'", "STRASSE", "c"),
      ("t ==[c] 'οδος'", "ΟΔΟΣ", "d"),
    ]
    let subscriber = try service.connect()
    for (predicate, _, _) in cases {
      _ = try subscriber.result(
        of: "subscribe", "{\"recordType\":\"Item\",\"predicate\":\(quoted(predicate))}")
    }
    for (text, name) in [("Ägypten", "a"), ("Червоний", "b"), ("STRASSE", "c"), ("ΟΔΟΣ", "d")] {
      try connection.save(name, "{\"t\":\(quoted(text))}")
    }
    for (predicate, _, name) in cases { #expect(try names(where: predicate) == [name]) }
    var pushed: [String] = []
    for _ in cases { pushed += try subscriber.receivePush().changeSummaries }
    #expect(pushed.sorted() == ["created a", "created b", "created c", "created c", "created d"])
  }

  @Test("Pages over a field that some records lack hold every record once, in both directions")
  func pagesKeepRecordsWithoutTheSortedField() throws {
    for (name, fields) in [
      ("a", #"{"r":1}"#), ("b", #"{"r":1}"#), ("c", "{}"), ("d", #"{"r":null}"#), ("e", #"{"r":2}"#),
    ] {
      try connection.save(name, fields)
    }
    for ascending in [true, false] {
      let order = "\"recordType\":\"Item\",\"sortDescriptors\":[{\"key\":\"r\",\"ascending\":\(ascending)}]"
      let whole = try connection.result(of: "performQuery", "{\(order)}").recordNames
      #expect(whole == (ascending ? ["c", "d", "a", "b", "e"] : ["e", "a", "b", "c", "d"]))
      for limit in 1...6 {
        var paged: [String] = []
        var cursor = ""
        repeat {
          let page = try connection.result(
            of: "performQuery", "{\(order),\"resultsLimit\":\(limit)\(cursor)}")
          paged += page.recordNames
          cursor = page["cursor"].map { ",\"cursor\":\($0.text)" } ?? ""
        } while !cursor.isEmpty
        #expect(paged == whole, "limit \(limit), ascending \(ascending)")
      }
    }
  }
}

/// The JSON text of a string.
func quoted(_ text: String) -> String { JSONNode.string(text).json.text }
