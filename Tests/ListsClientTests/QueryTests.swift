import JSONRPC
import ListsClient
import Records
import ServiceFixture
import Testing

/// Typed calls, with the real service.
@Suite(.timeLimit(.minutes(5)))
struct QueryTests {
  let service: ListsdProcess
  let connection: Connection

  init() throws {
    service = try ListsdProcess()
    connection = try Connection(to: ServiceAddress(path: service.socketPath))
  }

  private func save(_ type: String, _ name: String, _ fields: JSONNode) async throws {
    let record: JSONNode = ["recordType": .string(type), "recordName": .string(name), "fields": fields]
    _ = try await connection.call("saveRecord", ["record": record])
  }

  private func seed() async throws {
    try await save("List", "g", ["name": "Groceries"])
    let list: JSONNode = ["$reference": ["recordName": "g"]]
    try await save("Item", "milk", ["name": "Milk", "quantity": 2, "list": list])
    try await save("Item", "bread", ["name": "Bread", "quantity": 1, "list": list])
    try await save("Item", "butter", ["name": "Butter", "quantity": 4])
  }

  @Test("Pages have every record once, in order, and the predicate of a request is that of the service")
  func pages() async throws {
    try await seed()
    var request = QueryRequest(
      recordType: "Item", predicate: "quantity >= %@ AND name != $name", arguments: [1])
    request.variables = [("name", "Butter")]
    try request.sort(by: "name", ascending: false)
    request.resultsLimit = 1
    var names: [String] = []
    for try await page in connection.pages(of: request) { names += page.records.map(\.recordName) }
    #expect(names == ["milk", "bread"])
    #expect(try await connection.count(request) == 2)

    let all = try await connection.query(QueryRequest(recordType: "Item")).records
    let predicate = try request.localPredicate()
    #expect(Set(all.filter { predicate.matches($0) }.map(\.recordName)) == Set(names))
    #expect(throws: RecordError.self) {
      try QueryRequest(recordType: "Item", predicate: "a =").localPredicate()
    }
  }

  @Test("A section is found by its index title, and a title that none has is named with those that there are")
  func sections() async throws {
    try await seed()
    var request = QueryRequest(recordType: "Item")
    try request.sort(by: "name")
    request.sectionNameKey = "name"
    request.sectionIndexTitle = .firstLetter
    request.resultsLimit = 1
    let page = try await connection.query(request)
    #expect(page.sectionIndexTitles == ["B", "M"])
    #expect(try page.section(forIndexTitle: "B").name == "Bread")
    #expect(try page.section(forIndexTitle: "M").offset == 2)
    #expect(throws: UnknownIndexTitle(title: "Q", known: ["B", "M"])) { try page.section(forIndexTitle: "Q") }
    request.fromIndexTitle = "M"
    #expect(try await connection.query(request).records.map(\.recordName) == ["milk"])
  }

  @Test("Records that are referred to come along")
  func included() async throws {
    try await seed()
    var request = QueryRequest(recordType: "Item", predicate: "list.name = 'Groceries' AND quantity > 1")
    request.include = ["list"]
    let page = try await connection.query(request)
    let milk = try #require(page.records.first)
    guard case .reference(let reference)? = milk.value(forKey: "list") else {
      Issue.record("no reference")
      return
    }
    #expect(page.included(reference, heldBy: milk)?.value(forKey: "name") == .string("Groceries"))
    #expect(page.included(Reference(recordName: "h"), heldBy: milk) == nil)
  }

  @Test("Distinct values, figures by group, and how records were found")
  func figures() async throws {
    try await seed()
    let request = QueryRequest(recordType: "Item")
    let distinct = try await connection.distinctValues(of: "quantity", request)
    #expect(distinct.values.map(\.value) == [.int64(1), .int64(2), .int64(4)])
    #expect(distinct.values.map(\.count) == [1, 1, 1] && distinct.cursor == nil)

    let groups = try await connection.aggregate(
      [.count, .sum(of: "quantity"), Aggregate(.max, of: "name", name: "last")], groupedBy: ["list.name"],
      request
    ).groups
    #expect(groups.map { $0.key("list.name") } == [nil, .string("Groceries")])
    #expect(groups.map { $0["count"] } == [.int64(1), .int64(2)])
    #expect(groups.map { $0["sum(quantity)"] } == [.int64(4), .int64(3)])
    #expect(groups.map { $0["last"] } == [.string("Butter"), .string("Milk")])

    let plan = try await connection.explain(QueryRequest(recordType: "Item", predicate: "quantity > 1"))
    #expect(plan.rowsReturned == 2 && plan.rowsExamined == 3 && plan.access == "type")
  }

  @Test("Declared fields and indexes are in the schema")
  func schema() async throws {
    try await seed()
    let saved = try await connection.saveRecordType(
      RecordTypeDeclaration(
        name: "Item",
        fields: [
          .init(
            "name", indexes: [.queryable, .searchable], rules: [.init(.required, try JSON(parsing: "true"))]),
          .init("tags", FieldType(.string, isList: true)),
        ],
        indexes: [.init(["list", "name"], collation: .localized)], automaticIndexes: false))
    #expect(!saved.automaticIndexes && saved.numberOfRecords == 3)
    let types = try await connection.schema()
    #expect(types.map(\.name) == ["Item", "List"])
    let fields = types[0].fields
    #expect(fields.first { $0.name == "name" }?.indexes == [.queryable, .searchable])
    #expect(fields.first { $0.name == "name" }?.rules.isRequired == true)
    #expect(fields.first { $0.name == "tags" }?.rules.isEmpty == true)
    #expect(fields.first { $0.name == "tags" }?.type == FieldType(.string, isList: true))
    #expect(types[0].indexes.contains { $0.keys == ["list", "name"] && !$0.isAutomatic })
    await #expect(throws: ClientError.self) { try await connection.schema(of: "Nothing") }
  }
}
