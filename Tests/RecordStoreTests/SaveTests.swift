import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct SaveTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  @Test("a new record comes back with all that the service adds")
  func newRecord() throws {
    let record = try store.save(#"{"n":"a","v":1,"w":"x"}"#)
    #expect(record.recordType == "Item" && record.recordName == "a" && record.zoneName == "_defaultZone")
    #expect(record.created == Stamp(timestamp: 1_796_000_000_000, userRecordName: "_1000"))
    #expect(record.modified == record.created)
    #expect(!record.recordChangeTag.isEmpty)
    #expect(record.fieldsText == #"{"v":1,"w":"x"}"#)
    #expect(try store.fetch("a") == record)
    #expect(try store.fetch("b") == nil)
  }

  @Test("a record without a name gets one of its own, in the order of time")
  func unnamed() throws {
    let names = try (0..<3).map { _ in try store.save(#"{"v":1}"#).recordName }
    #expect(Set(names).count == 3)
    for name in names {
      let characters = Array(name)
      #expect(characters.count == 36 && characters[14] == "7" && "89ab".contains(characters[19]))
    }
  }

  @Test("names that look the same and have other bytes are two records")
  func bytes() throws {
    try store.save(#"{"n":"e\u0301","v":1}"#)
    try store.save(#"{"n":"\u00e9","v":2}"#)
    #expect(try store.fetch("e\u{301}")?.fieldsText == #"{"v":1}"#)
    #expect(try store.fetch("\u{e9}")?.fieldsText == #"{"v":2}"#)
  }

  // MARK: Policies

  enum Tag: CaseIterable { case none, current, old, never }

  /// What a save does to `{"v":1,"w":1}` when it sends `{"v":9}`; nil is a conflict.
  @Test("each policy looks at the tag as it should", arguments: SavePolicy.allCases, Tag.allCases)
  func matrix(_ policy: SavePolicy, _ tag: Tag) throws {
    let first = try store.save(#"{"n":"a","v":0,"w":1}"#)
    let second = try store.save(#"{"n":"a","v":1,"w":1}"#)
    var sent = try draft(#"{"n":"a","v":9}"#)
    sent.recordChangeTag =
      switch tag {
      case .none: nil
      case .current: second.recordChangeTag
      case .old: first.recordChangeTag
      case .never: "bogus"
      }
    let expected: String? =
      switch policy {
      case .ifServerRecordUnchanged: tag == .current ? #"{"v":9}"# : nil
      case .changedKeys: #"{"v":9,"w":1}"#
      case .allKeys: #"{"v":9}"#
      }
    if let expected {
      #expect(try store.saved(.save(sent, policy: policy)).fieldsText == expected)
      #expect(try store.fetch("a")?.fieldsText == expected)
      return
    }
    do {
      try store.saved(.save(sent, policy: policy))
      Issue.record("no conflict")
    } catch let error as RecordError {
      #expect(error.code == .serverRecordChanged)
      #expect(error.detail("serverRecord") == second.body)
      #expect(error.detail("clientRecord")?["fields"]?.text == #"{"v":9}"#)
      #expect(error.detail("ancestorRecord") == (tag == .old ? first.body : nil))
    }
    #expect(try store.fetch("a") == second)
  }

  @Test("a tag of a record that is gone is a conflict with nothing on the server's side")
  func gone() throws {
    let record = try store.save(#"{"n":"a","v":1}"#)
    try store.delete("a")
    do {
      try store.save(#"{"n":"a","v":2,"t":"\#(record.recordChangeTag)"}"#, policy: .ifServerRecordUnchanged)
      Issue.record("no conflict")
    } catch let error as RecordError {
      #expect(error.code == .serverRecordChanged)
      #expect(error.detail("serverRecord")?.isNull == true)
      #expect(error.detail("ancestorRecord") == record.body)
    }
    #expect(try store.fetch("a") == nil)
  }

  @Test("no tag of a deleted record matches the record that takes its name")
  func recreated() throws {
    var tags: Set<String> = []
    for _ in 0..<5 {
      tags.insert(try store.save(#"{"n":"a","v":1}"#).recordChangeTag)
      try store.delete("a")
    }
    #expect(tags.count == 5)
    let present = try store.save(#"{"n":"a","v":1}"#)
    for tag in tags {
      #expect(tag != present.recordChangeTag)
      #expect(refusal { try store.delete("a", tag: tag) } == .serverRecordChanged)
    }
    #expect(try store.delete("a", tag: present.recordChangeTag))
  }

  @Test(
    "update and replace demand a record, create demands that there is none",
    arguments: [
      (SaveOperation.Existence.mustExist, false, RecordError.Code.unknownItem),
      (.mustExist, true, nil), (.mustNotExist, true, .serverRecordChanged), (.mustNotExist, false, nil),
    ] as [(SaveOperation.Existence, Bool, RecordError.Code?)])
  func existence(_ existence: SaveOperation.Existence, _ isThere: Bool, _ code: RecordError.Code?) throws {
    if isThere { try store.save(#"{"n":"a","v":1}"#) }
    let operation = SaveOperation(
      try draft(#"{"n":"a","v":2}"#), fields: .merge, tagCheck: .ifSent, existence: existence)
    #expect(refusal { try store.saved(.save(operation)) } == code)
  }

  @Test("a tag that is looked at only if sent is looked at when sent")
  func tagIfSent() throws {
    let old = try store.save(#"{"n":"a","v":1}"#)
    try store.save(#"{"n":"a","v":2}"#)
    var sent = try draft(#"{"n":"a","v":3}"#)
    sent.recordChangeTag = old.recordChangeTag
    let operation = SaveOperation(sent, fields: .merge, tagCheck: .ifSent, existence: .mustExist)
    #expect(refusal { try store.saved(.save(operation)) } == .serverRecordChanged)
  }

  // MARK: What stays and what changes

  @Test(
    "a save that changes nothing keeps tag, dates and token, and tells nobody", arguments: SavePolicy.allCases
  )
  func nothing(_ policy: SavePolicy) throws {
    let record = try store.save(#"{"n":"a","v":1,"w":[1,2]}"#)
    let token = try store.reader.changeToken
    let groups = store.inbox.changeSets.count
    var sent = try draft(#"{"n":"a","v":1,"w":[1,2]}"#)
    if policy == .ifServerRecordUnchanged { sent.recordChangeTag = record.recordChangeTag }
    #expect(try store.saved(.save(sent, policy: policy)) == record)
    #expect(try store.reader.changeToken == token)
    #expect(store.inbox.changeSets.count == groups)
  }

  @Test("a changed record keeps when and by whom it was made")
  func stamps() throws {
    let first = try store.save(#"{"n":"a","v":1}"#)
    let request = WriteRequest(
      caller: Caller(userID: 5, connection: 1),
      operations: [.save(try draft(#"{"n":"a","v":2}"#), policy: .allKeys)])
    let result = try store.inbox.write(store.store.submit(request)).get()
    guard case .saved(let second)? = try result.items.first?.get() else {
      Issue.record("not saved")
      return
    }
    #expect(second.created == first.created)
    #expect(second.modified.userRecordName == "_5")
  }

  @Test("a record does not change its type")
  func recordType() throws {
    try store.save(#"{"n":"a","v":1}"#)
    #expect(refusal { try store.save(#"{"n":"a","type":"Other","v":1}"#) } == .invalidArguments)
    try store.delete("a")
    try store.save(#"{"n":"a","type":"Other","v":1}"#)
    #expect(try store.names() == [])
    #expect(try store.names(type: "Other") == ["a"])
  }

  @Test("a field's type is that of its first value, in every record of the type and after a new start")
  func fieldTypes() throws {
    let store = try TestStore()
    try store.save(#"{"n":"a","v":1,"d":1.5}"#)
    let error = #expect(throws: RecordError.self) { try store.save(#"{"n":"b","v":"text"}"#) }
    #expect(error?.code == .fieldTypeMismatch)
    #expect(error?.detail("field")?.stringValue == "v")
    #expect(error?.detail("expected")?.stringValue == "int64")
    #expect(error?.detail("actual")?.stringValue == "string")
    #expect(try store.save(#"{"n":"c","d":2}"#).fieldsText == #"{"d":2.0}"#)
    try store.save(#"{"n":"d","type":"Other","v":"text"}"#)
    store.close()
    let again = try TestStore(in: store.folder)
    #expect(refusal { try again.save(#"{"n":"b","v":"text"}"#) } == .fieldTypeMismatch)
  }

  @Test("what was refused leaves no type behind")
  func noTypeOfRefused() throws {
    #expect(throws: WriteFailure.self) {
      try store.write([.save(try draft(#"{"n":"a","v":1}"#), policy: .allKeys), deletion("none")])
    }
    try store.save(#"{"n":"b","v":"text"}"#)
    #expect(try store.fetch("a") == nil)
  }

  @Test("an unknown zone is refused, by reads too")
  func zone() throws {
    var sent = try draft(#"{"n":"a","v":1}"#)
    sent.zoneName = "elsewhere"
    #expect(refusal { try store.saved(.save(sent, policy: .allKeys)) } == .zoneNotFound)
    #expect(refusal { try store.reader.fetch(recordName: "a", zoneName: "elsewhere") } == .zoneNotFound)
  }

  @Test("too many bytes or fields are refused with the limit and the count")
  func limits() throws {
    var limits = StoreLimits()
    limits.maximumRecordBytes = 400
    limits.maximumFields = 2
    let small = try TestStore(inMemory: true, limits: limits)
    let error = #expect(throws: RecordError.self) { try small.save(#"{"n":"a","v":1,"w":1,"x":1}"#) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.detail("limitName")?.stringValue == "maximumFields")
    #expect(error?.detail("limit")?.int64Value == 2 && error?.detail("actual")?.int64Value == 3)
    let text = String(repeating: "x", count: 400)
    #expect(refusal { try small.save(#"{"n":"a","v":"\#(text)"}"#) } == .limitExceeded)
    #expect(try small.reader.sequence == 0)
    try small.save(#"{"n":"a","v":"fits"}"#)
  }

  // MARK: Field operations and deletions

  @Test("increments from many threads add up")
  func increments() throws {
    let tickets = try (0..<200).map { _ in
      store.submit([.save(try draft(#"{"n":"a","v":{"$increment":1}}"#), policy: .changedKeys)])
    }
    for ticket in tickets { _ = try store.inbox.write(ticket).get() }
    #expect(try store.fetch("a")?.fieldsText == #"{"v":200}"#)
    #expect(Set(store.inbox.changeSets.map(\.sequence)).count == 200)
  }

  @Test("deleting what is not there is an error, unless that was said to be none")
  func missing() throws {
    #expect(refusal { try store.delete("a") } == .unknownItem)
    #expect(try store.delete("a", ignoresMissing: true) == false)
    #expect(try store.reader.sequence == 0)
  }

  @Test("a record of another type than the one named is not deleted")
  func otherType() throws {
    try store.save(#"{"n":"a","v":1}"#)
    let operation = DeleteOperation(zoneName: Identifier.defaultZone, recordName: "a", recordType: "Other")
    let failure = #expect(throws: WriteFailure.self) { try store.write([.delete(operation)]) }
    #expect(failure?.error.code == .unknownItem)
    #expect(try store.fetch("a") != nil)
  }
}
