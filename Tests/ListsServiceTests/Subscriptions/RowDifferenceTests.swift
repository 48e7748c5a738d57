import Testing

@testable import ListsService

/// What leads from one sequence of rows to another, applied blindly, leads there.
struct RowDifferenceTests {
  /// Applies the steps to `old`; checks that no index is out of it, and that never more rows are held than
  /// there were or will be.
  private func result(of steps: [RowDifference.Step], on old: [Int], to new: [Int]) throws -> [Int] {
    var rows = old
    for step in steps {
      if let from = step.from {
        try #require(rows.indices.contains(from))
        let row = rows.remove(at: from)
        #expect(row == step.old.map { old[$0] })
        #expect(step.new == nil || new[step.new ?? 0] == row)
      }
      if let to = step.to {
        try #require(to <= rows.count)
        rows.insert(new[try #require(step.new)], at: to)
      }
      #expect(rows.count <= max(old.count, new.count))
    }
    return rows
  }

  @Test("Random sequences, with and without news of rows that stay", arguments: 1...8)
  func random(seed: UInt64) throws {
    var chance = Chance(seed: seed)
    for _ in 0..<400 {
      let size = chance.below(14)
      let old = (0..<size).shuffled(using: &chance)
      var new = (0..<(size + chance.below(6))).shuffled(using: &chance).filter { _ in chance.below(3) > 0 }
      if chance.below(2) == 0 { new = old.filter { _ in chance.below(3) > 0 } + (20..<chance.below(4) + 20) }
      let changed = Set((0..<40).filter { _ in chance.below(3) == 0 })
      let steps = RowDifference.steps(from: old, to: new) { before, after in
        #expect(old[before] == new[after])
        return changed.contains(new[after])
      }
      let rows = try result(of: steps, on: old, to: new)
      #expect(rows == new, "seed \(seed): \(old) to \(new), changed \(changed.sorted()): \(steps)")
      let told = Set(steps.compactMap { $0.new.map { new[$0] } })
      let kept = Set(old).intersection(new)
      #expect(told.isSuperset(of: changed.intersection(kept)))
    }
  }

  @Test("Rows of which there is nothing to tell are not moved while they keep their order", arguments: 1...4)
  func quietRows(seed: UInt64) throws {
    var chance = Chance(seed: seed)
    for _ in 0..<200 {
      let old = (0..<chance.below(20)).map { $0 }
      let movers = Set(old.filter { _ in chance.below(4) == 0 })
      var new = old.filter { !movers.contains($0) }
      for row in movers.shuffled(using: &chance) { new.insert(row, at: chance.below(new.count + 1)) }
      let steps = RowDifference.steps(from: old, to: new) { _, after in movers.contains(new[after]) }
      #expect(try result(of: steps, on: old, to: new) == new)
      #expect(Set(steps.compactMap { $0.new.map { new[$0] } }) == movers)
      #expect(steps.count == movers.count)
    }
  }

  @Test("One row that goes to the other end is one move")
  func oneMove() {
    let steps = RowDifference.steps(from: [1, 2, 3, 4], to: [2, 3, 4, 1]) { _, _ in false }
    #expect(steps == [RowDifference.Step(old: 0, new: 3, from: 0, to: 3)])
  }

  @Test("Nothing leads from a sequence to itself")
  func same() {
    #expect(RowDifference.steps(from: [1, 2, 3], to: [1, 2, 3]) { _, _ in false } == [])
    #expect(RowDifference.steps(from: [Int](), to: []) { _, _ in false } == [])
  }

  @Test("What falls out comes first, from the end on")
  func removals() {
    let steps = RowDifference.steps(from: [1, 2, 3], to: [2, 4]) { _, _ in false }
    #expect(steps.map(\.from) == [2, 0, nil])
    #expect(steps.map(\.to) == [nil, nil, 1])
  }
}
