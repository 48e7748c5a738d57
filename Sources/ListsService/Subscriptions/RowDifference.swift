/// What leads from one sequence of rows to another: first what falls out, from the end on, then the rows of the
/// new sequence from its start on, as far as there is something to tell of them.
///
/// Only rows that are to be told anyway are moved, as long as the others keep their order among themselves.
struct RowDifference {
  /// One row's part, to be applied after those before it: take out at `from`, then put in at `to`.
  struct Step: Equatable {
    /// The row's index in the old sequence; nil when it is not there.
    var old: Int?
    /// Its index in the new one; nil when it is not there.
    var new: Int?
    var from: Int?
    var to: Int?
  }

  /// - Parameter isChanged: whether there is something to tell of a row that is at these indexes in the old and
  ///   the new sequence, wherever it is.
  static func steps<Name: Hashable>(
    from old: [Name], to new: [Name], isChanged: (_ old: Int, _ new: Int) -> Bool
  ) -> [Step] {
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    var end = 0
    while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end] {
      end += 1
    }
    var steps: [Step] = []
    func keep(_ oldIndex: Int, _ newIndex: Int) {
      guard isChanged(oldIndex, newIndex) else { return }
      steps.append(Step(old: oldIndex, new: newIndex, from: newIndex, to: newIndex))
    }
    let shuffle = Shuffle(
      old: old[start..<(old.count - end)], new: new[start..<(new.count - end)], isChanged: isChanged)
    steps = shuffle.removals
    for index in 0..<start { keep(index, index) }
    steps += shuffle.arrivals()
    for index in (0..<end).reversed() { keep(old.count - 1 - index, new.count - 1 - index) }
    return steps
  }
}

/// The middle of two sequences that begin alike and end alike.
private struct Shuffle {
  private let start: Int
  /// The index in the old sequence of each row of the new one, both counted from `start`; nil when it is not
  /// there.
  private let origins: [Int?]
  /// Whether a row of the new sequence stays where it is among those that stay.
  private var isStable: [Bool]
  private let isChanged: [Bool]
  private let oldCount: Int
  let removals: [RowDifference.Step]

  init<Name: Hashable>(
    old: ArraySlice<Name>, new: ArraySlice<Name>, isChanged: (_ old: Int, _ new: Int) -> Bool
  ) {
    let start = old.startIndex
    self.start = start
    oldCount = old.count
    var places: [Name: Int] = [:]
    for (index, name) in old.enumerated() { places[name] = index }
    let origins = new.map { places[$0] }
    self.origins = origins
    var isKept = [Bool](repeating: false, count: old.count)
    for case let origin? in origins { isKept[origin] = true }
    removals = isKept.indices.reversed().filter { !isKept[$0] }.map { index in
      RowDifference.Step(old: start + index, new: nil, from: start + index, to: nil)
    }
    self.isChanged = origins.indices.map { index in
      origins[index].map { isChanged(start + $0, start + index) } ?? true
    }
    isStable = [Bool](repeating: false, count: new.count)
    settle()
  }

  /// Decides which rows stay: of those of which there is nothing to tell as many as can, then of the others
  /// as many as still can.
  private mutating func settle() {
    let kept = origins.indices.filter { origins[$0] != nil }
    let quiet = longestRun(of: kept.filter { !isChanged[$0] })
    // The nearest of those behind each row.
    var ceilings = [Int](repeating: .max, count: origins.count)
    var ceiling = Int.max
    var next = quiet.count - 1
    for index in origins.indices.reversed() {
      ceilings[index] = ceiling
      if next >= 0, quiet[next] == index {
        ceiling = origins[index] ?? ceiling
        next -= 1
      }
    }
    var candidates: [Int] = []
    var floor = -1
    next = 0
    for index in kept {
      guard let origin = origins[index] else { continue }
      if next < quiet.count, quiet[next] == index {
        candidates.append(index)
        floor = origin
        next += 1
      } else if isChanged[index], origin > floor, origin < ceilings[index] {
        candidates.append(index)
      }
    }
    for index in longestRun(of: candidates) { isStable[index] = true }
  }

  /// The longest selection of these rows that stand in the same order in both sequences.
  private func longestRun(of rows: [Int]) -> [Int] {
    var ends: [Int] = []
    var previous = [Int: Int](minimumCapacity: rows.count)
    for row in rows {
      let origin = origins[row] ?? 0
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if origins[ends[middle]] ?? 0 < origin { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[row] = ends[low - 1] }
      if low == ends.count { ends.append(row) } else { ends[low] = row }
    }
    var run: [Int] = []
    var row = ends.last
    while let current = row {
      run.append(current)
      row = previous[current]
    }
    return run.reversed()
  }

  /// What becomes of the rows of the new sequence, in its order.
  ///
  /// While row n is looked at, those before it are all in place. Among them stand rows that are still to be
  /// moved, each where it was between those that stay; a row that is put in comes right behind the one
  /// before it in the new sequence, so before any that wait there.
  func arrivals() -> [RowDifference.Step] {
    var waiting = CountedPlaces(count: oldCount)
    var stableBefore = [0]
    var stableAt = [Int](repeating: -1, count: oldCount)
    for (index, origin) in origins.enumerated() {
      stableBefore.append(stableBefore[index] + (isStable[index] ? 1 : 0))
      guard let origin else { continue }
      if isStable[index] { stableAt[origin] = index } else { waiting.add(1, at: origin) }
    }
    // For each old place the last row before it that stays.
    var anchors: [Int] = []
    var anchor = -1
    for index in stableAt {
      anchors.append(anchor)
      if index >= 0 { anchor = index }
    }
    var nextStable = [Int](repeating: origins.count, count: origins.count + 1)
    for index in origins.indices.reversed() {
      nextStable[index] = isStable[index] ? index : nextStable[index + 1]
    }
    var steps: [RowDifference.Step] = []
    var lastStable = 0
    for (index, origin) in origins.enumerated() {
      if let origin, isStable[index] {
        let place = start + index + waiting.count(before: origin)
        if isChanged[index] {
          steps.append(.init(old: start + origin, new: start + index, from: place, to: place))
        }
        lastStable = origin
        continue
      }
      var from: Int?
      if let origin {
        let anchor = anchors[origin]
        let before =
          anchor < index
          ? min(index, nextStable[anchor + 1]) : index + stableBefore[anchor + 1] - stableBefore[index]
        from = start + before + waiting.count(before: origin)
        waiting.add(-1, at: origin)
      }
      let to = start + index + waiting.count(before: lastStable)
      steps.append(.init(old: origin.map { start + $0 }, new: start + index, from: from, to: to))
    }
    return steps
  }
}

/// Numbers at places, whose sums are quickly known (a Fenwick tree).
private struct CountedPlaces {
  private var sums: [Int]

  init(count: Int) { sums = [Int](repeating: 0, count: count + 1) }

  mutating func add(_ number: Int, at place: Int) {
    var index = place + 1
    while index < sums.count {
      sums[index] += number
      index += index & -index
    }
  }

  /// The sum of what is at the places before that one.
  func count(before place: Int) -> Int {
    var sum = 0
    var index = place
    while index > 0 {
      sum += sums[index]
      index -= index & -index
    }
    return sum
  }
}
