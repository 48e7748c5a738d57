/// The code points put into classes, such that all of a class are in the same of some given sets. What an
/// automaton does is then kept for a class at a time.
struct ScalarClasses: Sendable {
  /// Sets that a partition can be made by.
  static let maximumSets = 256
  /// And how many ranges these may have together.
  static let maximumRanges = 20_000

  /// The sets that a class is in, one bit each.
  typealias Members = SIMD4<UInt64>

  /// Of every class.
  let members: [Members]
  private let ascii: [UInt16]
  /// The first code points of stretches of one class, from 0 on, and their classes.
  private let starts: [UInt32]
  private let classes: [UInt16]

  /// By at most ``maximumSets`` sets, and with every code point of `literals` in a class by itself.
  init(sets: [ScalarSet], literals: Set<UInt32>) {
    // Where something begins or ends: a set (its bit is turned over) or a literal.
    var changes: [(scalar: UInt32, set: Int?)] = [(0, nil)]
    for (index, set) in sets.prefix(Self.maximumSets).enumerated() {
      for range in set.ranges {
        changes.append((range.lowerBound, index))
        if range.upperBound < ScalarSet.last { changes.append((range.upperBound + 1, index)) }
      }
    }
    for literal in literals {
      changes.append((literal, nil))
      if literal < ScalarSet.last { changes.append((literal + 1, nil)) }
    }
    changes.sort { $0.scalar < $1.scalar }

    struct Key: Hashable {
      var members: Members
      var literal: UInt32?
    }
    var known: [Key: UInt16] = [:]
    var members: [Members] = []
    var starts: [UInt32] = []
    var classes: [UInt16] = []
    var current = Members.zero
    for (index, change) in changes.enumerated() {
      if let set = change.set { current[set / 64] ^= 1 << UInt64(set % 64) }
      if index + 1 < changes.count, changes[index + 1].scalar == change.scalar { continue }
      let key = Key(members: current, literal: literals.contains(change.scalar) ? change.scalar : nil)
      let number = known[key] ?? UInt16(members.count)
      if known.updateValue(number, forKey: key) == nil { members.append(current) }
      if classes.last != number {
        starts.append(change.scalar)
        classes.append(number)
      }
    }
    self.members = members
    self.starts = starts
    self.classes = classes
    ascii = (0..<0x80).map { Self.find($0, starts, classes) }
  }

  var count: Int { members.count }

  @inline(__always)
  func number(of scalar: UInt32) -> UInt16 {
    scalar < 0x80 ? ascii[Int(scalar)] : Self.find(scalar, starts, classes)
  }

  private static func find(_ scalar: UInt32, _ starts: [UInt32], _ classes: [UInt16]) -> UInt16 {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= scalar { low = middle } else { high = middle }
    }
    return classes[low]
  }
}
