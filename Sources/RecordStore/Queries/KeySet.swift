internal import Records

/// A stretch of `SortKey`s, ascending and null first: from the first, below the second.
struct KeyRange: Equatable {
  var from: [UInt8]
  var below: [UInt8]
  /// Whether it holds the key `from` and no other.
  var isPoint: Bool

  /// Above every ascending key.
  private static let top: [UInt8] = [0xFF]

  init(from: [UInt8], below: [UInt8]) {
    self.from = from
    self.below = below
    isPoint = false
  }

  /// All keys that begin with `prefix`.
  init(prefix: [UInt8]) {
    self.init(from: prefix, below: SortKey.end(ofPrefix: prefix) ?? Self.top)
  }

  /// One key.
  init(point key: [UInt8]) {
    self.init(prefix: key)
    isPoint = true
  }

  static let all = KeyRange(from: [], below: top)
  static let null = KeyRange(point: [0])

  var isEmpty: Bool { !from.lexicographicallyPrecedes(below) }

  func intersection(_ other: KeyRange) -> KeyRange? {
    if isPoint { return other.contains(from) ? self : nil }
    if other.isPoint { return contains(other.from) ? other : nil }
    let range = KeyRange(
      from: from.lexicographicallyPrecedes(other.from) ? other.from : from,
      below: below.lexicographicallyPrecedes(other.below) ? below : other.below)
    return range.isEmpty ? nil : range
  }

  func contains(_ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(from) && key.lexicographicallyPrecedes(below)
  }

  /// The same stretch among keys of several values, behind those that `prefix` is of.
  func behind(_ prefix: [UInt8]) -> KeyRange {
    if prefix.isEmpty { return self }
    var range = KeyRange(from: prefix + from, below: prefix + below)
    range.isPoint = isPoint
    return range
  }
}

/// Which `SortKey`s a value may have.
struct KeySet: Equatable {
  /// Ascending; none overlaps another.
  let ranges: [KeyRange]

  static let all = KeySet(ordered: [.all])
  static let none = KeySet(ordered: [])
  static let null = KeySet(ordered: [.null])
  /// Everything but null.
  static let some = KeySet.null.complement

  private init(ordered ranges: [KeyRange]) { self.ranges = ranges }

  init(_ range: KeyRange) { ranges = range.isEmpty ? [] : [range] }

  init(point key: [UInt8]) { ranges = [KeyRange(point: key)] }

  /// What is in any of the ranges.
  init(unionOf parts: [KeyRange]) {
    var ranges: [KeyRange] = []
    let sorted = parts.sorted { $0.from.lexicographicallyPrecedes($1.from) }
    for range in sorted {
      // Those that only touch stay apart: points must not be lost in a stretch.
      guard let last = ranges.last, range.from.lexicographicallyPrecedes(last.below) else {
        ranges.append(range)
        continue
      }
      if last.below.lexicographicallyPrecedes(range.below) {
        ranges[ranges.count - 1] = KeyRange(from: last.from, below: range.below)
      } else if last.isPoint, !range.isPoint {
        ranges[ranges.count - 1] = range
      }
    }
    self.ranges = ranges
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// The keys, ascending, when they can be told one by one.
  var points: [[UInt8]]? {
    ranges.allSatisfy(\.isPoint) ? ranges.map(\.from) : nil
  }

  func contains(_ key: [UInt8]) -> Bool { ranges.contains { $0.contains(key) } }

  var containsNull: Bool { contains([0]) }

  func intersection(_ other: KeySet) -> KeySet {
    var result: [KeyRange] = []
    var left = 0
    var right = 0
    while left < ranges.count, right < other.ranges.count {
      if let common = ranges[left].intersection(other.ranges[right]) { result.append(common) }
      if ranges[left].below.lexicographicallyPrecedes(other.ranges[right].below) {
        left += 1
      } else {
        right += 1
      }
    }
    return KeySet(ordered: result)
  }

  var complement: KeySet {
    var result: [KeyRange] = []
    var from: [UInt8] = KeyRange.all.from
    for range in ranges {
      let gap = KeyRange(from: from, below: range.from)
      if !gap.isEmpty { result.append(gap) }
      from = range.below
    }
    let rest = KeyRange(from: from, below: KeyRange.all.below)
    if !rest.isEmpty { result.append(rest) }
    return KeySet(ordered: result)
  }

  /// One stretch that holds them all.
  var hull: KeySet {
    guard ranges.count > 1, let first = ranges.first, let last = ranges.last else { return self }
    return KeySet(KeyRange(from: first.from, below: last.below))
  }
}
