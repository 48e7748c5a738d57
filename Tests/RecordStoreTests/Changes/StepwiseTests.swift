import Testing

@testable import RecordStore
@testable import Records

@Suite struct StepwiseTests {
  /// Everything that a page must be: the difference between two of the store's states.
  private func check(_ page: ChangesPage, _ records: ReferringRecords) throws {
    let (start, end) = (Int(page.start), Int(page.changeSet.sequence))
    var state = records.states[start]
    for change in page.changeSet.changes {
      #expect(change.before == state[change.place], "\(change.place)")
      state[change.place] = change.after
      try checkCommits(of: change, from: start, to: end, records)
    }
    #expect(state == records.states[end], "\(start) to \(end)")
    let changed = Set(page.changeSet.changes.map(\.place))
    let found = try records.store.reader.referrers(
      of: page.changeSet, since: page.start, hops: 3, recordType: nil, limit: 1000)
    #expect(
      Set(found.map(\.place))
        == records.referrers(of: changed, from: start, to: end, hops: 3, type: nil))
  }

  private func checkCommits(
    of change: RecordChange, from start: Int, to end: Int, _ records: ReferringRecords
  ) throws {
    let commits = change.commits.map { Int($0) }
    #expect(commits == Set(commits).sorted())
    #expect(commits.allSatisfy { $0 > start && $0 <= end })
    // One that made a record and deleted it at once shows in the log only.
    let visible = (start + 1...end).filter {
      records.states[$0][change.place] != records.states[$0 - 1][change.place]
    }
    #expect(Set(commits).isSuperset(of: visible) && commits.count - visible.count <= 2)
  }

  private func limits(_ generator: inout Generator) -> (changes: Int, bytes: Int, rows: Int) {
    (
      Int.random(in: 1...6, using: &generator), Int.random(in: 1...10, using: &generator) * 300,
      Int.random(in: 1...10, using: &generator)
    )
  }

  @Test(
    "each step leads from one state of the store to the next, whatever is written meanwhile",
    arguments: 0..<6 as Range<UInt64>)
  func steps(seed: UInt64) throws {
    var records = try ReferringRecords(seed: seed)
    let store = records.store
    var tokens = [try store.reader.changeToken]
    for _ in 0..<60 {
      try records.write()
      tokens.append(try store.reader.changeToken)
    }
    var token = tokens[Int.random(in: 0..<20, using: &records.generator)]
    var (pages, writes) = (0, 5)
    var position = token.sequence
    while true {
      let limits = limits(&records.generator)
      let sent = try #require(ChangeToken(text: token.text))
      let page = try store.reader.changes(
        after: sent, limit: limits.changes, maximumBytes: limits.bytes, maximumRows: limits.rows,
        isStepwise: true)
      #expect(page.start == position)
      #expect(page.changeSet.changeToken.replay == nil)
      try check(page, records)
      token = page.changeSet.changeToken
      position = page.changeSet.sequence
      #expect(token.sequence == position)
      pages += 1
      #expect(try page.moreComing == (position < store.reader.sequence))
      if writes > 0, Bool.random(using: &records.generator) {
        writes -= 1
        try records.write()
      } else if !page.moreComing {
        break
      }
    }
    #expect(pages > 5)
    #expect(try token == store.reader.changeToken)
  }

  @Test(
    "any page's token can be gone on from, in steps or not",
    arguments: 0..<6 as Range<UInt64>)
  func mixed(seed: UInt64) throws {
    var records = try ReferringRecords(seed: seed)
    let reader = records.store.reader
    var token = try reader.changeToken
    for _ in 0..<40 { try records.write() }
    for round in 0..<30 {
      if round < 20, Bool.random(using: &records.generator) { try records.write() }
      let limits = limits(&records.generator)
      let isStepwise = Bool.random(using: &records.generator)
      let start = token.replay?.start ?? token.sequence
      let page = try reader.changes(
        after: token, limit: limits.changes, maximumRows: limits.rows, isStepwise: isStepwise)
      #expect(page.start == start)
      for change in page.changeSet.changes {
        let end = try isStepwise ? page.changeSet.sequence : token.replay?.end ?? reader.sequence
        try checkCommits(of: change, from: Int(start), to: Int(end), records)
      }
      if isStepwise { try check(page, records) }
      token = page.changeSet.changeToken
    }
    while token.replay != nil { token = try reader.changes(after: token, limit: 100).changeSet.changeToken }
    let last = try reader.changes(after: token, limit: 1000, isStepwise: true)
    try check(last, records)
    #expect(try last.changeSet.changeToken == reader.changeToken)
  }

  @Test("a page that is not in steps tells all commits that changed the record")
  func commits() throws {
    let store = try TestStore(inMemory: true)
    try store.save(#"{"n":"a","v":1}"#)
    let token = try store.reader.changeToken
    try store.save(#"{"n":"a","v":2}"#)
    try store.save(#"{"n":"b","v":1}"#)
    try store.delete("a")
    try store.save(#"{"n":"a","v":3}"#)
    let page = try store.reader.changes(after: token, limit: 10)
    #expect(page.start == 1)
    #expect(page.changeSet.changes.map(\.recordName) == ["b", "a", "a"])
    #expect(page.changeSet.changes.map(\.commits) == [[3], [2, 4, 5], [2, 4, 5]])
    #expect(store.inbox.changeSets.allSatisfy { $0.changes.allSatisfy(\.commits.isEmpty) })
  }

  @Test("a step of a record that changed often is as large as the two states that it leads between")
  func bounds() throws {
    let store = try TestStore(inMemory: true)
    let text = String(repeating: "x", count: 1000)
    let token = try store.reader.changeToken
    for number in 0..<20 { try store.save(#"{"n":"a","v":"\#(number)\#(text)"}"#) }
    for number in 0..<20 { try store.save(#"{"n":"b\#(number)","v":"\#(text)"}"#) }
    func reached(bytes: Int, rows: Int = 1000) throws -> Int64 {
      try store.reader.changes(
        after: token, limit: 1000, maximumBytes: bytes, maximumRows: rows, isStepwise: true
      ).changeSet.sequence
    }
    #expect(try reached(bytes: 2000) == 21)
    #expect(try reached(bytes: 20_000) > 30)
    #expect(try reached(bytes: .max) == 40)
    #expect(try reached(bytes: .max, rows: 7) == 7)
  }
}
