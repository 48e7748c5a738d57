/// What is gathered under keys of which only the least are wanted, in bounded memory.
struct LeastKeys<Value: Sized> {
  private let limit: Int
  private let maximumBytes: Int
  private var values: [[UInt8]: Value] = [:]
  private var bytes = 0
  /// The greatest key that was kept when keys were dropped: above it there is nothing to gather.
  private var top: [UInt8]?

  /// - Parameter maximumBytes: of keys and values together; the least key is kept whatever its size.
  init(limit: Int, maximumBytes: Int) {
    self.limit = limit
    self.maximumBytes = maximumBytes
  }

  /// Whether there were more keys than are kept.
  var hasMore: Bool { top != nil || values.count > limit || bytes > maximumBytes }

  /// Has `change` bring what is under the key up to date; nil is what is not there yet.
  mutating func update(_ key: [UInt8], _ change: (inout Value?) -> Void) {
    if let top, top.lexicographicallyPrecedes(key) { return }
    let before = values[key].map { key.count + $0.size } ?? 0
    change(&values[key])
    bytes += (values[key].map { key.count + $0.size } ?? 0) - before
    // Twice as much as is wanted: so each key is sorted a few times only.
    if values.count > limit * 2 + 16 || bytes > maximumBytes * 2 { cut() }
  }

  private mutating func cut() {
    var kept: [(key: [UInt8], value: Value)] = []
    bytes = 0
    for entry in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let size = entry.key.count + entry.value.size
      guard kept.count < limit, kept.isEmpty || bytes + size <= maximumBytes else {
        top = kept.last?.key
        break
      }
      kept.append(entry)
      bytes += size
    }
    values = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }

  /// What was gathered under the least keys, in their order.
  mutating func finish() -> [(key: [UInt8], value: Value)] {
    if hasMore { cut() }
    return values.map { ($0.key, $0.value) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }
}

/// A value that knows about how many bytes it takes.
protocol Sized {
  var size: Int { get }
}
