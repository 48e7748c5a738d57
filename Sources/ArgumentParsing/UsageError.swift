/// Arguments that the command table doesn't allow. Say `message` to the user and exit with 2.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line that names the argument and, where something is near it, what may have been meant.
  public var message: String

  public init(_ message: String) {
    self.message = message
  }

  public var description: String { message }
}

/// Finds what a mistyped word may have meant.
enum Suggestion {
  /// " (did you mean '--socket'?)", or nothing when no candidate is near.
  static func text(for word: String, among candidates: [String]) -> String {
    let near = nearest(to: word, among: candidates)
    guard !near.isEmpty else { return "" }
    return " (did you mean " + near.map { "'\($0)'" }.joined(separator: " or ") + "?)"
  }

  /// At most two candidates: those that `word` begins, else those within a third of its letters.
  static func nearest(to word: String, among candidates: [String]) -> [String] {
    let bare = word.drop { $0 == "-" }
    guard !bare.isEmpty else { return [] }
    let begun = candidates.filter { $0.drop { $0 == "-" }.hasPrefix(bare) }
    if !begun.isEmpty { return Array(begun.prefix(2)) }
    let ranked = candidates.map { (distance(word, $0), $0) }
      .filter { $0.0 <= max(1, $0.1.count / 3) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    guard let best = ranked.first?.0 else { return [] }
    return Array(ranked.filter { $0.0 == best }.map(\.1).prefix(2))
  }

  /// Insertions, deletions, substitutions and exchanges of neighbours that turn one word into the other.
  static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first)
    let b = Array(second)
    var older: [Int] = []
    var previous = Array(0...b.count)
    for i in 0..<a.count {
      var current = [i + 1]
      for j in 0..<b.count {
        var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, older[j - 1] + 1)
        }
        current.append(best)
      }
      older = previous
      previous = current
    }
    return previous[b.count]
  }
}
