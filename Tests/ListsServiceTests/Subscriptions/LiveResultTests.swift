import InProcessService
import JSONRPC
import Testing

/// What the subscriber of a sorted result is told of single changes.
struct LiveResultTests {
  let service: InProcessService
  let writer: InProcessClient
  let reader: InProcessClient

  init() {
    service = InProcessService()
    writer = service.connect()
    reader = service.connect()
  }

  private func save(_ name: String, _ fields: JSONNode, type: String = "Item") throws {
    _ = try writer.result(
      "saveRecord",
      [
        "record": ["recordType": .string(type), "recordName": .string(name), "fields": fields],
        "savePolicy": "allKeys",
      ])
  }

  private func delete(_ name: String) throws {
    _ = try writer.result("deleteRecord", ["recordName": .string(name)])
  }

  private func modify(_ operations: [JSONNode]) throws {
    _ = try writer.result("modifyRecords", ["operations": .array(operations), "desiredKeys": []])
  }

  private func saving(_ name: String, _ fields: JSONNode) -> JSONNode {
    [
      "operationType": "forceReplace",
      "record": ["recordType": "Item", "recordName": .string(name), "fields": fields],
    ]
  }

  /// A list that has its initial rows.
  private func subscribe(_ params: [(String, JSONNode)]) throws -> LiveList {
    _ = try reader.result("subscribe", .object([("recordType", "Item")] + params))
    var list = LiveList()
    try catchUp(&list)
    _ = list.takeTold()
    return list
  }

  private func catchUp(_ list: inout LiveList) throws {
    _ = try reader.result("echo", ["x": 1])
    service.settle()
    for push in try reader.takePushes() { try list.apply(push) }
  }

  private func told(_ list: inout LiveList) throws -> [String] {
    try catchUp(&list)
    return list.takeTold()
  }

  private static let byN: (String, JSONNode) = ("sortDescriptors", [["key": "n"]])

  @Test("The first rows come marked initial, with their places; an empty result says so")
  func initial() throws {
    _ = try reader.result("subscribe", ["recordType": "Item", "resultsLimit": 2])
    let empty = try reader.receive()["params"]
    #expect(empty?["initial"] == true)
    #expect(empty?["changes"] == [])
    for (name, n) in [("a", 3), ("b", 1), ("c", 2)] { try save(name, ["n": .int(Int64(n))]) }
    let other = service.connect()
    _ = try other.result(
      "subscribe", ["recordType": "Item", "sortBy": [["fieldName": "n"]], "resultsLimit": 2])
    let push = try other.receive()["params"]
    #expect(push?["initial"] == true)
    let changes = push?["changes"]?.elements ?? []
    #expect(changes.map { $0["reason"] } == ["created", "created"])
    #expect(changes.map { $0["recordName"] } == ["b", "c"])
    #expect(changes.map { $0["to"] } == [0, 1])
    #expect(changes.allSatisfy { $0["from"] == nil && $0["section"] == nil && $0["changedKeys"] == nil })
  }

  @Test("A row that moves is updated, from one place to another; one that stays keeps its place")
  func move() throws {
    for (name, n) in [("a", 1), ("b", 2), ("c", 3)] { try save(name, ["n": .int(Int64(n))]) }
    var list = try subscribe([Self.byN])
    try save("a", ["n": 5])
    #expect(try told(&list) == ["updated a 0>2 n"])
    try save("a", ["n": 6, "m": 1])
    #expect(try told(&list) == ["updated a 2>2 n m"])
    try save("c", ["n": 1])
    #expect(try told(&list) == ["updated c 1>0 n"])
    #expect(list.names == ["c", "b", "a"])
  }

  @Test("A full list lets in who is next when a row goes, and puts out the last when one comes")
  func fullList() throws {
    for (name, n) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] { try save(name, ["n": .int(Int64(n))]) }
    var list = try subscribe([Self.byN, ("resultsLimit", 2), ("predicate", "n < 10")])
    try delete("a")
    #expect(try told(&list) == ["deleted a 0>", "entered c >1"])
    try save("b", ["n": 10])
    #expect(try told(&list) == ["left b 0> n", "entered d >1"])
    try save("e", ["n": 0])
    #expect(try told(&list) == ["left d 1>", "created e >0"])
    try save("b", ["n": 1])
    #expect(try told(&list) == ["left c 1>", "entered b >1 n"])
    try save("b", ["n": 9])
    #expect(try told(&list) == ["left b 1> n", "entered c >1"])
    try save("f", ["n": 9])
    #expect(try told(&list) == [])
    #expect(list.names == ["e", "c"])
    #expect(list.greatestCount == 2)
  }

  @Test("A list of one row holds the first, whatever becomes of it, also when nothing is known behind it")
  func limitOfOne() throws {
    for index in 0..<60 { try save("r\(index + 10)", ["n": .int(Int64(index))]) }
    var list = try subscribe([Self.byN, ("resultsLimit", 1)])
    for index in 0..<50 {
      try delete("r\(index + 10)")
      #expect(try told(&list) == ["deleted r\(index + 10) 0>", "entered r\(index + 11) >0"])
    }
    try save("r60", ["n": 100])
    #expect(try told(&list) == ["left r60 0>", "entered r61 >0"])
    try save("r65", ["n": 0])
    #expect(try told(&list) == ["left r61 0>", "entered r65 >0 n"])
    #expect(list.greatestCount == 1)
  }

  @Test("Rows with equal keys are in the order of their names, whatever the direction")
  func ties() throws {
    var list = try subscribe([("sortDescriptors", [["key": "n", "ascending": false]])])
    for name in ["b", "d", "a", "c"] { try save(name, ["n": 1]) }
    #expect(list.names == [])
    #expect(
      try told(&list) == ["created b >0", "created d >1", "created a >0", "created c >2"])
    try save("c", ["n": 2])
    #expect(try told(&list) == ["updated c 2>0 n"])
    #expect(list.names == ["c", "a", "b", "d"])
  }

  @Test("A batch tells what it came to")
  func batch() throws {
    try modify((0..<30).map { saving("r\($0 + 10)", ["n": .int(Int64($0))]) })
    var list = try subscribe([Self.byN, ("resultsLimit", 20)])
    let others = (0..<940).map { saving("s\($0)", ["n": .int(Int64(100 + $0))]) }
    let deletions = (0..<5).map { index -> JSONNode in
      ["operationType": "delete", "record": ["recordName": .string("r\(index + 10)")]]
    }
    let moves = [saving("r15", ["n": 50]), saving("r16", ["n": 19]), saving("new", ["n": -1])]
    try modify(others + deletions + moves)
    #expect(
      try told(&list) == [
        "left r15 5> n", "deleted r14 4>", "deleted r13 3>", "deleted r12 2>", "deleted r11 1>",
        "deleted r10 0>", "created new >0", "updated r16 1>13 n", "entered r30 >15", "entered r31 >16",
        "entered r32 >17", "entered r33 >18", "entered r34 >19",
      ])
    #expect(
      list.names == ["new"] + (17...29).map { "r\($0)" }.prefix(12) + ["r16", "r29"] + list.names[15...])
    #expect(list.greatestCount <= 20)
  }

  @Test("A row that was deleted and made anew in one commit is updated")
  func madeAnew() throws {
    try save("a", ["n": 1])
    try save("b", ["n": 2])
    var list = try subscribe([Self.byN])
    try modify([
      ["operationType": "delete", "record": ["recordName": "a"]], saving("a", ["n": 3]),
    ])
    #expect(try told(&list) == ["updated a 0>1"])
    #expect(list.rows.last?.record["fields"]?["n"] == 3)
  }

  @Test("Rows say in which section they are, also when the section alone is another")
  func sections() throws {
    for (name, kind) in [("a", "fruit"), ("b", "fruit"), ("c", "vegetable")] {
      try save(name, ["kind": .string(kind), "n": 1])
    }
    var list = try subscribe([("sortDescriptors", [["key": "kind"]]), ("sectionNameKey", "kind")])
    let fruit: JSONNode = ["name": "fruit", "indexTitle": "F"]
    #expect(list.rows.map(\.section) == [fruit, fruit, ["name": "vegetable", "indexTitle": "V"]])
    try modify(["a", "b"].map { saving($0, ["kind": "apple", "n": 1]) })
    #expect(try told(&list) == ["updated a 0>0 kind", "updated b 1>1 kind"])
    let apple: JSONNode = ["name": "apple", "indexTitle": "A"]
    #expect(list.rows.map(\.section) == [apple, apple, ["name": "vegetable", "indexTitle": "V"]])
    try save("b", ["n": 1])
    #expect(try told(&list) == ["updated b 1>0 kind"])
    #expect(list.rows.map(\.section).first == ["name": "", "indexTitle": ""])
    _ = try reader.failure(
      "subscribe", ["recordType": "Item", "sortDescriptors": [["key": "n"]], "sectionNameKey": "kind"])
  }

  @Test("What the rows refer to comes with them, those that the limit lets in too")
  func included() throws {
    try save("food", ["name": "Food"], type: "List")
    for (name, n) in [("a", 1), ("b", 2)] {
      try save(name, ["n": .int(Int64(n)), "list": ["$reference": ["recordName": "food"]]])
    }
    var list = try subscribe([Self.byN, ("resultsLimit", 1), ("include", ["list"])])
    try delete("a")
    _ = try reader.result("echo", ["x": 1])
    let push = try #require(try reader.takePushes().first)
    #expect(push["params"]?["included"]?[0]?["record"]?["fields"]?["name"] == "Food")
    try list.apply(push)
    #expect(list.names == ["b"])
  }

  @Test("Changes over the list's own connection say so, rows that the limit moves do not")
  func origin() throws {
    try save("a", ["n": 1])
    var list = try subscribe([Self.byN, ("resultsLimit", 1)])
    _ = try reader.result(
      "saveRecord", ["record": ["recordType": "Item", "recordName": "b", "fields": ["n": 0]]])
    let push = try #require(try reader.takePushes().first)
    let changes = push["params"]?["changes"]?.elements ?? []
    #expect(changes.map { $0["reason"] } == ["left", "created"])
    #expect(changes.map { $0["origin"]?["isOwn"] } == [false, true])
    #expect(changes.allSatisfy { $0["record"] != nil })
    try list.apply(push)
    #expect(list.names == ["b"])
  }

  @Test("Previous values come with changes, and are left out for rows that the limit moves")
  func previous() throws {
    for (name, n) in [("a", 1), ("b", 2)] { try save(name, ["n": .int(Int64(n))]) }
    _ = try subscribe([Self.byN, ("resultsLimit", 1), ("includePrevious", true)])
    try delete("a")
    _ = try reader.result("echo", ["x": 1])
    let changes = try reader.takePushes().first?["params"]?["changes"]?.elements ?? []
    #expect(changes.map { $0["previous"] } == [["fields": ["n": 1]], nil])
  }
}
