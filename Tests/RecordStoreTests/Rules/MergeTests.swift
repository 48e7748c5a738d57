import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct MergeTests {
  let store: TestStore

  init() throws {
    store = try TestStore(inMemory: true)
    try store.declare(
      RecordTypeDraft(
        name: "Item",
        fields: try declared(
          #"{"n1":{"type":"int64","merge":"sum","max":100},"l":{"type":"list<string>","merge":"union"},"c":{"type":"string","merge":"client"},"x":{"type":"string"}}"#
        )))
  }

  private func merge(_ json: String, _ policy: SavePolicy = .ifServerRecordUnchanged) throws
    -> (record: StoredRecord, settled: [String]?)
  {
    do {
      return try #require(try store.write([.save(draft(json), policy: policy)]).items[0].get().savedRecord)
    } catch let failure as WriteFailure {
      throw failure.error
    }
  }

  @Test("a save with an outdated tag is merged where policies settle it, and says what they settled")
  func merged() throws {
    let first = try store.save(#"{"n":"a","n1":10,"l":["a"],"c":"old","x":"same"}"#)
    let second = try store.save(#"{"n":"a","n1":12,"l":["a","b"],"c":"server","x":"same","y":1}"#)
    let tag = first.recordChangeTag
    let result = try merge(#"{"n":"a","t":"\#(tag)","n1":15,"l":["c"],"c":"client","x":"same"}"#)
    #expect(result.record.fieldsText == #"{"n1":17,"l":["a","b","c"],"c":"client","x":"same","y":1}"#)
    #expect(result.settled == ["n1", "l", "c"])
    #expect(result.record.recordChangeTag != second.recordChangeTag)
    #expect(try store.fetch("a") == result.record)
  }

  @Test(
    "nothing is settled where each changed fields of its own, and nothing is written where nothing is new")
  func apart() throws {
    let first = try store.save(#"{"n":"a","n1":10,"x":"same"}"#)
    let second = try store.save(#"{"n":"a","n1":10,"x":"server"}"#)
    let tag = first.recordChangeTag
    let result = try merge(#"{"n":"a","t":"\#(tag)","n1":11,"x":"same"}"#)
    #expect(result.record.fieldsText == #"{"n1":11,"x":"server"}"#)
    #expect(result.settled == [])
    let none = try merge(#"{"n":"a","t":"\#(second.recordChangeTag)","n1":10,"x":"server"}"#)
    #expect(none.record == result.record && none.settled == [])
  }

  @Test("a field without a policy that both changed is the conflict that it was, whole")
  func conflict() throws {
    let first = try store.save(#"{"n":"a","n1":10,"x":"old"}"#)
    try store.save(#"{"n":"a","n1":11,"x":"server"}"#)
    #expect(
      refusal { try merge(#"{"n":"a","t":"\#(first.recordChangeTag)","n1":12,"x":"client"}"#) }
        == .serverRecordChanged)
    #expect(try store.fetch("a")?.fieldsText == #"{"n1":11,"x":"server"}"#)
    #expect(refusal { try merge(#"{"n":"a","n1":12}"#) } == .serverRecordChanged)
    #expect(refusal { try merge(#"{"n":"a","t":"bogus","n1":12}"#) } == .serverRecordChanged)
    try store.delete("a")
    #expect(
      refusal { try merge(#"{"n":"a","t":"\#(first.recordChangeTag)","n1":12}"#) } == .serverRecordChanged)
  }

  @Test("a merged record is held to the rules")
  func ruled() throws {
    let first = try store.save(#"{"n":"a","n1":50}"#)
    try store.save(#"{"n":"a","n1":90}"#)
    #expect(
      refusal { try merge(#"{"n":"a","t":"\#(first.recordChangeTag)","n1":70}"#) } == .constraintViolation)
  }

  @Test("a type without merge policies answers as ever")
  func without() throws {
    let first = try store.save(#"{"n":"a","type":"Plain","v":1}"#)
    try store.save(#"{"n":"a","type":"Plain","v":1,"w":1}"#)
    #expect(
      refusal { try merge(#"{"n":"a","type":"Plain","t":"\#(first.recordChangeTag)","v":2}"#) }
        == .serverRecordChanged)
  }

  @Test("update and replace with a tag merge as well, field operations by what they made of the ancestor")
  func operations() throws {
    let first = try store.save(#"{"n":"a","n1":10,"l":["a"],"x":"x"}"#)
    try store.save(#"{"n":"a","n1":20,"l":["a","b"],"x":"y"}"#)
    func write(_ json: String, _ fields: SaveOperation.Fields) throws -> (StoredRecord, [String]?) {
      let operation = SaveOperation(try draft(json), fields: fields, tagCheck: .ifSent, existence: .mustExist)
      let saved = try #require(try store.write([.save(operation)]).items[0].get().savedRecord)
      return (saved.record, saved.settled)
    }
    let tag = first.recordChangeTag
    let updated = try write(
      #"{"n":"a","t":"\#(tag)","n1":{"$increment":5},"l":{"$addUnique":["c"]}}"#, .merge)
    #expect(updated.0.fieldsText == #"{"n1":25,"l":["a","b","c"],"x":"y"}"#)
    #expect(updated.1 == ["n1", "l"])
    let replaced = try write(#"{"n":"a","t":"\#(tag)","n1":10,"l":["a"],"x":"x","c":"new"}"#, .replace)
    #expect(replaced.0.fieldsText == #"{"n1":25,"l":["a","b","c"],"x":"y","c":"new"}"#)
  }

  @Test("clients that know different versions and add to one number come to the sum", arguments: 0..<6)
  func sums(_ seed: Int) throws {
    var generator = Generator(seed: UInt64(seed))
    try store.declare(RecordTypeDraft(name: "Item", fields: try declared(#"{"n1":{"max":null}}"#)))
    var versions = [try store.save(#"{"n":"a","n1":0}"#)]
    var sum: Int64 = 0
    for _ in 0..<60 {
      let known = versions.randomElement(using: &generator)!
      guard case .int64(let value)? = known.value(forKey: "n1") else { return }
      let amount = Int64.random(in: 1...1000, using: &generator)
      sum += amount
      versions.append(try merge(#"{"n":"a","t":"\#(known.recordChangeTag)","n1":\#(value + amount)}"#).record)
    }
    #expect(try store.fetch("a")?.value(forKey: "n1") == .int64(sum))
  }
}
