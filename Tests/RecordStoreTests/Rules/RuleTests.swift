import JSONRPC
import Records
import Testing

@testable import RecordStore

@Suite struct RuleTests {
  let store: TestStore

  init() throws { store = try TestStore(inMemory: true) }

  private func declare(_ fields: String, acceptsLoss: Bool = false) throws {
    try store.declare(RecordTypeDraft(name: "Item", fields: try declared(fields)))
  }

  private func error(_ body: () throws -> some Any) -> RecordError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? RecordError
    }
  }

  /// As in `rule field`, with whose value it is where that is told.
  private func broken(_ body: () throws -> some Any) -> String? {
    guard let error = error(body) else { return nil }
    guard error.code == .constraintViolation else { return error.code.rawValue }
    return ["rule", "field", "recordName"].compactMap { error.detail($0)?.stringValue }.joined(separator: " ")
  }

  @Test("a save is held to the rules by what it makes of the record")
  func values() throws {
    try declare(
      #"{"v":{"type":"int64","required":true,"min":0,"max":9},"s":{"type":"string","pattern":"[a-z]+"},"l":{"type":"list<int64>","max":5}}"#
    )
    #expect(broken { try store.save(#"{"n":"a","s":"x"}"#) } == "required v")
    #expect(broken { try store.save(#"{"n":"a","v":null}"#) } == "required v")
    #expect(broken { try store.save(#"{"n":"a","v":10}"#) } == "max v")
    #expect(broken { try store.save(#"{"n":"a","v":1,"s":"X"}"#) } == "pattern s")
    #expect(broken { try store.save(#"{"n":"a","v":1,"l":[1,6]}"#) } == "max l")
    #expect(try store.fetch("a") == nil)
    try store.save(#"{"n":"a","v":8,"s":"x","l":[5]}"#)
    #expect(broken { try store.save(#"{"n":"a","v":{"$increment":2}}"#, policy: .changedKeys) } == "max v")
    try store.save(#"{"n":"a","v":{"$increment":1}}"#, policy: .changedKeys)
    #expect(
      broken { try store.save(#"{"n":"a","v":{"$unset":true}}"#, policy: .changedKeys) } == "required v")
    #expect(broken { try store.save(#"{"n":"a","l":{"$append":[7]}}"#, policy: .changedKeys) } == "max l")
    #expect(try store.fetch("a")?.fieldsText == #"{"v":9,"s":"x","l":[5]}"#)
    try store.save(#"{"n":"x","type":"Other","s":"X"}"#)
  }

  @Test("a rule that is taken away holds no longer, and the others do")
  func taken() throws {
    try declare(#"{"v":{"type":"int64","min":0,"max":9}}"#)
    try declare(#"{"v":{"min":null}}"#)
    try store.save(#"{"n":"a","v":-1}"#)
    #expect(broken { try store.save(#"{"n":"a","v":10}"#) } == "max v")
    #expect(try store.description().fields[0].rules.json.text == #"{"max":9}"#)
  }

  @Test("rules are kept with the store")
  func kept() throws {
    let folder = TestFolder()
    let first = try TestStore(in: folder)
    try first.declare(
      RecordTypeDraft(name: "Item", fields: try declared(#"{"v":{"type":"int64","unique":true,"min":3}}"#)))
    try first.save(#"{"n":"a","v":3}"#)
    first.close()
    let second = try TestStore(in: folder)
    #expect(broken { try second.save(#"{"n":"b","v":2}"#) } == "min v")
    #expect(broken { try second.save(#"{"n":"b","v":3}"#) } == "unique v a")
  }

  @Test(
    "a missing field gets its default when the record is made or replaced, not when fields are merged into it"
  )
  func defaults() throws {
    try declare(
      #"{"v":{"type":"int64","default":7},"w":{"type":"list<string>","default":["x"],"required":true}}"#)
    #expect(try store.save(#"{"n":"a"}"#).fieldsText == #"{"v":7,"w":["x"]}"#)
    #expect(try store.save(#"{"n":"b","w":["y"],"v":null}"#).fieldsText == #"{"w":["y"],"v":7}"#)
    #expect(
      try store.save(#"{"n":"b","v":{"$unset":true}}"#, policy: .changedKeys).fieldsText == #"{"w":["y"]}"#)
    #expect(try store.save(#"{"n":"b","q":1}"#, policy: .allKeys).fieldsText == #"{"q":1,"v":7,"w":["x"]}"#)
    #expect(
      try store.save(#"{"n":"c","q":2}"#, policy: .changedKeys).fieldsText == #"{"q":2,"v":7,"w":["x"]}"#)
    let same = try store.save(#"{"n":"c","q":2}"#, policy: .allKeys)
    #expect(try store.fetch("c") == same)
  }

  // MARK: Unique

  @Test("unique is by what = calls equal, over all zones, and null is not unique")
  func unique() throws {
    _ = try store.write([.saveZone(zoneName: "z")])
    try declare(#"{"v":{"type":"double","unique":true},"s":{"type":"string","unique":true}}"#)
    try store.save(#"{"n":"a","v":0.0,"s":"é"}"#)
    try store.save(#"{"n":"b"}"#)
    try store.save(#"{"n":"c"}"#)
    #expect(broken { try store.save(#"{"n":"b","v":-0.0}"#) } == "unique v a")
    #expect(broken { try store.save(#"{"n":"b","v":0}"#) } == "unique v a")
    #expect(broken { try store.save(#"{"n":"b","s":"e\u0301"}"#) } == "unique s a")
    var other = try draft(#"{"n":"a","v":0}"#)
    other.zoneName = "z"
    let error = error { try store.saved(.save(other, policy: .allKeys)) }
    #expect(error?.detail("zoneName")?.stringValue == "_defaultZone")
    #expect(error?.message.contains("'a' has the same") == true)
    // Its own value is nobody else's.
    try store.save(#"{"n":"a","v":-0.0,"s":"e\u0301"}"#)
    try store.delete("a")
    try store.save(#"{"n":"b","v":0,"s":"é"}"#)
  }

  @Test("references into two zones are two values, however they are spelt")
  func uniqueReferences() throws {
    _ = try store.write([.saveZone(zoneName: "z")])
    try declare(#"{"r":{"type":"reference","unique":true}}"#)
    func save(_ name: String, inZone zone: String, _ target: String, _ targetZone: String?) throws {
      let reference = Reference(recordName: target, zoneName: targetZone)
      let field = RecordDraft.Field(name: "r", change: .set(.reference(reference)))
      try store.saved(
        .save(
          RecordDraft(recordType: "Item", recordName: name, zoneName: zone, fields: [field]), policy: .allKeys
        ))
    }
    try save("a", inZone: "_defaultZone", "t", nil)
    try save("b", inZone: "z", "t", nil)
    #expect(broken { try save("c", inZone: "z", "t", "_defaultZone") } == "unique r a")
    #expect(broken { try save("c", inZone: "_defaultZone", "t", "z") } == "unique r b")
    #expect(broken { try save("c", inZone: "z", "t", "z") } == "unique r b")
    #expect(broken { try save("c", inZone: "_defaultZone", "t", "_defaultZone") } == "unique r a")
  }

  private func replace(_ json: String) throws -> WriteOperation { .save(try draft(json), policy: .allKeys) }

  @Test("in an atomic request the end decides: two records may exchange their values")
  func swapped() throws {
    try declare(#"{"v":{"type":"int64","unique":true}}"#)
    try store.save(#"{"n":"a","v":1}"#)
    try store.save(#"{"n":"b","v":2}"#)
    _ = try store.write([replace(#"{"n":"a","v":2}"#), replace(#"{"n":"b","v":1}"#)])
    _ = try store.write([replace(#"{"n":"c","v":1}"#), deletion("b")])
    _ = try store.write([
      replace(#"{"n":"d","v":5}"#), replace(#"{"n":"e","v":5}"#), replace(#"{"n":"d","v":6}"#),
    ])
    #expect(try store.fetch("c")?.fieldsText == #"{"v":1}"#)
    #expect(try store.fetch("d")?.fieldsText == #"{"v":6}"#)
  }

  @Test("the operation at fault is told, and nothing is done")
  func fault() throws {
    try declare(#"{"v":{"type":"int64","unique":true}}"#)
    try store.save(#"{"n":"a","v":1}"#)
    func failing(_ operations: [WriteOperation]) -> Int? {
      do {
        _ = try store.write(operations)
        return nil
      } catch {
        return error.items.firstIndex { $0.code == .constraintViolation }
      }
    }
    #expect(failing([try replace(#"{"n":"b","v":2}"#), try replace(#"{"n":"c","v":1}"#)]) == 1)
    #expect(failing([try replace(#"{"n":"b","v":1}"#), try replace(#"{"n":"c","v":2}"#)]) == 0)
    // Of two that want the same the later one.
    #expect(failing([try replace(#"{"n":"b","v":7}"#), try replace(#"{"n":"c","v":7}"#)]) == 1)
    #expect(try store.names() == ["a"])
    let each = try store.write(
      [replace(#"{"n":"b","v":7}"#), replace(#"{"n":"c","v":7}"#), replace(#"{"n":"d","v":8}"#)],
      atomic: false)
    #expect(each.items.map { (try? $0.get()) != nil } == [true, false, true])
  }

  // MARK: References and restoring

  @Test("a reference that must not be missing holds up the deletion that would take it out")
  func requiredReference() throws {
    try declare(#"{"r":{"type":"reference","required":true},"l":{"type":"list<reference>","required":true}}"#)
    try store.save(#"{"n":"t","type":"Target","v":1}"#)
    let target = #"{"$reference":{"recordName":"t","action":"setNull"}}"#
    let other = #"{"$reference":{"recordName":"u"}}"#
    try store.save(#"{"n":"a","r":\#(target),"l":[\#(other)]}"#)
    #expect(broken { try store.delete("t") } == "required r a")
    #expect(throws: WriteFailure.self) {
      try store.write([deletion("t"), replace(#"{"n":"z","type":"Other"}"#)])
    }
    try store.save(#"{"n":"a","r":\#(other),"l":[\#(target)]}"#)
    #expect(broken { try store.delete("t") } == "required l a")
    try store.save(#"{"n":"a","r":\#(other),"l":[\#(target),\#(other)]}"#)
    try store.delete("t")
    #expect(try store.fetch("a")?.fieldsText == #"{"r":\#(other),"l":[\#(other)]}"#)
  }

  @Test("a record that comes back is as it was, without defaults, and is held to the rules of now")
  func restored() throws {
    try store.save(#"{"n":"a","v":1}"#)
    try store.save(#"{"n":"b","v":2}"#)
    try store.delete("a")
    try store.delete("b")
    try declare(#"{"v":{"unique":true},"w":{"type":"int64","default":7}}"#)
    try store.save(#"{"n":"c","v":2}"#)
    func restore(_ name: String) throws {
      do {
        _ = try store.write([.restore(RestoreOperation(zoneName: "_defaultZone", recordName: name))])
      } catch {
        throw error.error
      }
    }
    try restore("a")
    #expect(try store.fetch("a")?.fieldsText == #"{"v":1}"#)
    #expect(broken { try restore("b") } == "unique v c")
    #expect(try store.fetch("b") == nil)
  }

  // MARK: Declaring

  @Test("rules that records break are refused, with their number and the first ten; nothing is declared")
  func brokenByRecords() throws {
    for number in 0..<12 { try store.save(#"{"n":"r\#(10 + number)","v":\#(number),"s":"a"}"#) }
    try store.save(#"{"n":"x","s":"b"}"#)
    let required = error { try declare(#"{"v":{"required":true}}"#) }
    #expect(required?.message == "1 records break the rule 'required' of the field 'v', as 'x' does")
    let max = error { try declare(#"{"v":{"max":0,"indexes":true},"k":{"type":"string"}}"#) }
    let violation = max?.detail("violations")?.elements.first { _ in true }
    #expect(violation?["count"]?.int64Value == 11)
    #expect(Array(violation?["examples"]?.elements ?? JSON(unchecked: []).elements).count == 10)
    #expect(
      violation?["examples"]?.elements.first { _ in true }?.text
        == #"{"recordName":"r11","zoneName":"_defaultZone","value":1}"#)
    #expect(broken { try declare(#"{"s":{"unique":true}}"#) } == "unique s")
    #expect(try store.description().fields.map(\.rules) == [FieldRules(), FieldRules()])
    #expect(try store.description().indexes.isEmpty)
    try declare(#"{"v":{"unique":true,"max":11},"s":{"required":true,"pattern":"a|b"}}"#)
    #expect(broken { try store.save(#"{"n":"y","v":3,"s":"a"}"#) } == "unique v r13")
  }

  @Test("the index behind unique is whole at once, and goes with the rule")
  func index() throws {
    for number in 0..<50 { try store.save(#"{"n":"r\#(number)","v":\#(number)}"#) }
    try declare(#"{"v":{"unique":true}}"#)
    let index = try #require(try store.description().indexes.first)
    #expect(index.keys == ["v"] && index.progress == nil && index.entries == 50)
    try declare(#"{"v":{"unique":false}}"#)
    #expect(try store.description().indexes.isEmpty)
    try store.save(#"{"n":"x","v":3}"#)
    #expect(broken { try declare(#"{"v":{"unique":true}}"#) } == "unique v")
  }

  @Test("uniqueness agrees with a model, whatever is saved, deleted and exchanged", arguments: 0..<8)
  func agreement(_ seed: Int) throws {
    var generator = Generator(seed: UInt64(seed))
    try declare(#"{"v":{"type":"int64","unique":true}}"#)
    var model: [String: Int] = [:]
    for _ in 0..<150 {
      var operations: [WriteOperation] = []
      var next = model
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let name = ["a", "b", "c", "d"].randomElement(using: &generator)!
        if Int.random(in: 0..<5, using: &generator) == 0 {
          operations.append(deletion(name, ignoresMissing: true))
          next[name] = nil
        } else {
          let value = Int.random(in: 0..<5, using: &generator)
          operations.append(try replace(#"{"n":"\#(name)","v":\#(value)}"#))
          next[name] = value
        }
      }
      let isAllowed = Set(next.values).count == next.count
      let isDone = (try? store.write(operations)) != nil
      #expect(isDone == isAllowed)
      if isAllowed { model = next }
    }
    let values = try ["a", "b", "c", "d"].map { try store.fetch($0)?.value(forKey: "v") }
    #expect(values == ["a", "b", "c", "d"].map { model[$0].map { .int64(Int64($0)) } })
  }
}

/// `{"v":{"type":"int64","min":1}}`: fields as saveRecordType takes them, but for their indexes.
func declared(_ json: String) throws -> [RecordTypeDraft.Field] {
  try JSON(parsing: json).members.map { member in
    var field = RecordTypeDraft.Field(name: member.name)
    for part in member.value.members {
      if let rule = FieldRules.Rule(rawValue: part.name) { field.rules.append(.init(rule, part.value)) }
      if part.name == "type" { field.type = FieldType(name: part.value.stringValue ?? "") }
      if part.name == "indexes" { field.uses = [.queryable, .sortable] }
    }
    return field
  }
}
