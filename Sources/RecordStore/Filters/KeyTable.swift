/// Which filters, by number, demand which keys at one path.
struct KeyTable {
  private var points: [[UInt8]: [Int]] = [:]
  private var stretches = StretchTable()

  var isEmpty: Bool { points.isEmpty && stretches.isEmpty }

  /// How many filters demand this one key, among others perhaps.
  func count(at key: [UInt8]) -> Int { points[key]?.count ?? 0 }

  mutating func insert(_ number: Int, _ keys: KeySet) {
    for range in keys.ranges {
      if range.isPoint {
        points[range.from, default: []].append(number)
      } else {
        stretches.insert(number, range)
      }
    }
  }

  mutating func remove(_ number: Int, _ keys: KeySet) {
    for range in keys.ranges {
      if range.isPoint {
        points[range.from]?.removeAscending(number)
        if points[range.from]?.isEmpty == true { points[range.from] = nil }
      } else {
        stretches.remove(number, range)
      }
    }
  }

  /// Adds all filters, some perhaps more than once.
  func addAll(to found: inout [Int]) {
    for numbers in points.values { found += numbers }
    stretches.addAll(to: &found)
  }

  /// Adds the filters that demand the key, each once.
  mutating func find(_ key: [UInt8], _ found: inout [Int]) {
    if let numbers = points[key] { found += numbers }
    stretches.find(key, &found)
  }
}

/// Stretches of keys with the numbers of those that demand them. Finds those that hold a key in time that grows
/// with how many there are found, and with the logarithm of how many there are.
struct StretchTable {
  private struct Entry {
    let range: KeyRange
    let number: Int

    func precedes(_ other: Entry) -> Bool {
      if range.from.lexicographicallyPrecedes(other.range.from) { return true }
      return number < other.number && range.from == other.range.from
    }
  }

  /// By where they begin, then by number; those taken out since it was put in order included.
  private var ordered: [Entry] = []
  /// A binary tree over `ordered`: of each part of it the entry that ends last; -1 for none. The root is 1, the
  /// children of n are 2n and 2n + 1, the leaves come last.
  private var latest: [Int] = []
  private var removed = 0
  /// Not in order yet.
  private var recent: [Entry] = []

  /// Entries that may be looked through one by one.
  private static let maximumRecent = 64

  var isEmpty: Bool { ordered.count == removed && recent.isEmpty }

  mutating func insert(_ number: Int, _ range: KeyRange) {
    recent.append(Entry(range: range, number: number))
  }

  mutating func remove(_ number: Int, _ range: KeyRange) {
    let entry = Entry(range: range, number: number)
    if let index = recent.firstIndex(where: { $0.number == number && $0.range == range }) {
      recent.remove(at: index)
      return
    }
    let index = Self.firstIndex(in: ordered) { !$0.precedes(entry) }
    guard index < ordered.count, ordered[index].number == number, ordered[index].range == range else {
      return
    }
    removed += 1
    var node = latest.count / 2 + index
    latest[node] = -1
    while node > 1 {
      node /= 2
      latest[node] = later(latest[2 * node], latest[2 * node + 1])
    }
  }

  mutating func find(_ key: [UInt8], _ found: inout [Int]) {
    if recent.count > Self.maximumRecent || removed > Self.maximumRecent + ordered.count / 2 { putInOrder() }
    for entry in recent where entry.range.contains(key) { found.append(entry.number) }
    guard ordered.count > removed else { return }
    let end = Self.firstIndex(in: ordered) { key.lexicographicallyPrecedes($0.range.from) }
    find(key, before: end, in: 1, from: 0, count: latest.count / 2, &found)
  }

  func addAll(to found: inout [Int]) {
    for (index, entry) in ordered.enumerated() where latest[latest.count / 2 + index] >= 0 {
      found.append(entry.number)
    }
    found += recent.lazy.map(\.number)
  }

  private func find(
    _ key: [UInt8], before end: Int, in node: Int, from first: Int, count: Int, _ found: inout [Int]
  ) {
    guard first < end, latest[node] >= 0,
      key.lexicographicallyPrecedes(ordered[latest[node]].range.below)
    else { return }
    guard count > 1 else { return found.append(ordered[first].number) }
    find(key, before: end, in: 2 * node, from: first, count: count / 2, &found)
    find(key, before: end, in: 2 * node + 1, from: first + count / 2, count: count / 2, &found)
  }

  private mutating func putInOrder() {
    let isThere = ordered.indices.map { latest[latest.count / 2 + $0] >= 0 }
    let kept = zip(ordered, isThere).lazy.filter(\.1).map(\.0)
    var merged: [Entry] = []
    merged.reserveCapacity(ordered.count - removed + recent.count)
    var added = recent.sorted { $0.precedes($1) }[...]
    for entry in kept {
      while let first = added.first, first.precedes(entry) {
        merged.append(first)
        added.removeFirst()
      }
      merged.append(entry)
    }
    merged += added
    ordered = merged
    recent = []
    removed = 0
    var leaves = 1
    while leaves < ordered.count { leaves *= 2 }
    latest = Array(repeating: -1, count: 2 * leaves)
    for index in ordered.indices { latest[leaves + index] = index }
    for node in (1..<max(leaves, 1)).reversed() {
      latest[node] = later(latest[2 * node], latest[2 * node + 1])
    }
  }

  private func later(_ left: Int, _ right: Int) -> Int {
    guard left >= 0 else { return right }
    guard right >= 0 else { return left }
    return ordered[left].range.below.lexicographicallyPrecedes(ordered[right].range.below) ? right : left
  }

  /// The first that meets a condition which all those behind it meet, too; the end when none does.
  private static func firstIndex(in entries: [Entry], where isMet: (Entry) -> Bool) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if isMet(entries[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
