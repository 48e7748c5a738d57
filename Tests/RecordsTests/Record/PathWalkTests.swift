import JSONRPC
import Testing

@testable import Records

struct PathWalkTests {
  /// Counts what it is asked for.
  private final class Counter: RecordResolver {
    private let known: KnownRecords
    var asked: [String] = []

    init(_ records: [StoredRecord]) { known = KnownRecords(records) }

    func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
      asked.append("\(zoneName)/\(recordName)")
      return known.record(named: recordName, inZone: zoneName)
    }
  }

  private func record(_ name: String, zone: String = "z", _ fields: String) -> StoredRecord {
    StoredRecord(
      body: JSON(
        unchecked: Array(#"{"recordName":"\#(name)","zoneName":"\#(zone)","fields":\#(fields)}"#.utf8)))
  }

  private func path(_ text: String) throws -> FieldPath { try #require(FieldPath(text)) }

  @Test("a value is found through references, and each is asked for in the zone of the record that holds it")
  func zones() throws {
    let start = record("a", #"{"to":{"$reference":{"recordName":"b","zoneName":"y"}}}"#)
    let counter = Counter([
      record("b", zone: "y", #"{"to":{"$reference":{"recordName":"c"}}}"#),
      record("c", zone: "y", #"{"n":5}"#),
    ])
    #expect(start.value(at: try path("to.to.n"), resolver: counter) == .int64(5))
    #expect(counter.asked == ["y/b", "y/c"])
    #expect(
      start.value(at: try path("to.to"), resolver: counter)
        == .reference(Reference(recordName: "c", zoneName: "y")))
  }

  @Test("nobody is asked for a reference's own members, nor for what stands in objects")
  func ownMembers() throws {
    let start = record(
      "a",
      #"{"to":{"$reference":{"recordName":"b","action":"none"}},"o":{"to":{"$reference":{"recordName":"b"}}},"n":1}"#
    )
    let counter = Counter([record("b", #"{"n":5}"#)])
    #expect(start.value(at: try path("to.recordName"), resolver: counter) == .string("b"))
    #expect(start.value(at: try path("to.action"), resolver: counter) == .string("none"))
    #expect(start.value(at: try path("to.zoneName"), resolver: counter) == nil)
    #expect(start.value(at: try path("o.to.n"), resolver: counter) == nil)
    #expect(start.value(at: try path("n.n"), resolver: counter) == nil)
    #expect(start.value(at: try path("recordName.n"), resolver: counter) == nil)
    #expect(counter.asked == [])
  }

  @Test("without a resolver references lead nowhere")
  func noResolver() throws {
    let start = record("a", #"{"to":{"$reference":{"recordName":"a"}},"n":1}"#)
    #expect(start.value(at: try path("to.n")) == nil)
    #expect(start.value(at: try path("to.n"), resolver: KnownRecords([start])) == .int64(1))
  }

  @Test("as many references as are allowed are followed, one more leads nowhere")
  func hops() throws {
    let start = record("a", #"{"to":{"$reference":{"recordName":"a"}},"n":1}"#)
    let resolver = KnownRecords([start])
    let longest = String(repeating: "to.", count: PathWalk.maximumHops) + "n"
    #expect(start.value(at: try path(longest), resolver: resolver) == .int64(1))
    #expect(start.value(at: try path("to." + longest), resolver: resolver) == nil)
  }

  @Test("lists of references to lists of references end")
  func fanOut() throws {
    let references = Array(repeating: #"{"$reference":{"recordName":"a"}}"#, count: 101).joined(
      separator: ",")
    let start = record("a", #"{"to":[\#(references)],"n":1}"#)
    let counter = Counter([start])
    #expect(
      start.value(at: try path("to.n"), resolver: counter) == .list(Array(repeating: .int64(1), count: 101)))
    counter.asked = []
    #expect(start.value(at: try path("to.to.to.to.to.n"), resolver: counter) == nil)
    #expect(counter.asked.count <= PathWalk.maximumRecords)
  }

  @Test("only paths that go on behind a field other than into a reference itself may lead into other records")
  func mayLead() throws {
    for text in ["list.name", "a.b.c", "a.zone", "list.creationDate"] {
      #expect(try path(text).mayLeadThroughReference, "\(text)")
    }
    for text in ["list", "list.@count", "list.recordName", "list.zoneName.x", "list.action", "recordName.x"] {
      #expect(try !path(text).mayLeadThroughReference, "\(text)")
    }
  }
}
