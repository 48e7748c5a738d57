import JSONRPC

/// The words of a query, made ready to be looked for in texts.
///
/// Each word of each term is a bit; going through a text, the bits say which beginnings of terms end at the
/// word just read (Baeza-Yates and Gonnet's Shift-And over words). So a text takes time in proportion to its
/// length, however many terms there are and however much they are alike.
struct WordMatcher: Sendable {
  static let maximumWords = 1000

  /// A set of the words of all terms, the terms one behind the other.
  private typealias Places = InlineArray<16, UInt64>

  /// A word that occurs in the query.
  private struct Entry: Sendable {
    let word: [UInt8]
    /// Where a text's word may stand that is this one.
    var places = Places(repeating: 0)
    /// Where one may stand that goes on behind it.
    var placesOfLonger = Places(repeating: 0)
    /// The longest entry that is a beginning of this one.
    var beginning: Int?
  }

  /// In the order of their bytes.
  private var entries: [Entry] = []
  private var firstWords = Places(repeating: 0)
  private var lastWords = Places(repeating: 0)
  /// How many elements of `Places` are in use.
  private let width: Int
  private let matchesPrefixes: Bool
  /// The bytes that an entry begins with, as a set: most words of a text need no more than this.
  private var firstBytes = InlineArray<4, UInt64>(repeating: 0)

  /// At most ``maximumWords`` words, no empty term.
  init(_ terms: [[String]], matchesPrefixes: Bool) {
    self.matchesPrefixes = matchesPrefixes
    width = (terms.reduce(0) { $0 + $1.count } + 63) / 64
    var found: [[UInt8]: Int] = [:]
    var place = 0
    for term in terms {
      firstWords.insert(place)
      for (offset, word) in term.enumerated() {
        let word = Array(word.utf8)
        let entry = found[word] ?? entries.count
        if entry == entries.count {
          found[word] = entry
          entries.append(Entry(word: word))
          firstBytes[Int(word[0] >> 6)] |= 1 << UInt64(word[0] & 63)
        }
        entries[entry].places.insert(place)
        if matchesPrefixes, offset == term.count - 1 { entries[entry].placesOfLonger.insert(place) }
        place += 1
      }
      lastWords.insert(place - 1)
    }
    entries.sort { $0.word.lexicographicallyPrecedes($1.word) }
    if matchesPrefixes { nest() }
  }

  /// Lets each entry know its beginnings, and take over where they may stand.
  private mutating func nest() {
    var open: [Int] = []
    for index in entries.indices {
      while let last = open.last, !entries[index].word.starts(with: entries[last].word) { open.removeLast() }
      if let last = open.last {
        entries[index].beginning = last
        entries[index].places.formUnion(entries[last].placesOfLonger)
        entries[index].placesOfLonger.formUnion(entries[last].placesOfLonger)
      }
      open.append(index)
    }
  }

  /// How far the texts of one record have come.
  struct Progress {
    private let needsAll: Bool
    private var found = Places(repeating: 0)
    private(set) var isMatch = false

    init(_ matcher: borrowing WordMatcher, needsAll: Bool) {
      self.needsAll = needsAll
    }

    /// Goes through a text, given as a JSON string; false when nothing more can change.
    mutating func add(_ json: JSON, _ matcher: borrowing WordMatcher) -> Bool {
      Words.withFoldedWords(of: json) { add($0, matcher) }
    }

    /// The same for a folded text.
    mutating func add(_ text: Span<UInt8>, _ matcher: borrowing WordMatcher) -> Bool {
      guard !isMatch, !matcher.entries.isEmpty else { return false }
      var state = Places(repeating: 0)
      var isStateEmpty = true
      var offset = 0
      while let range = Words.next(in: text, from: &offset) {
        let byte = text[range.lowerBound]
        guard matcher.firstBytes[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0,
          let (entry, isWhole) = matcher.entry(for: text.extracting(range))
        else {
          if !isStateEmpty {
            state = Places(repeating: 0)
            isStateEmpty = true
          }
          continue
        }
        isStateEmpty = !advance(&state, matcher, entry, isWhole)
        if isMatch { return false }
      }
      return true
    }

    /// Whether a beginning of a term, or a whole one, ends at this word.
    private mutating func advance(
      _ state: inout Places, _ matcher: borrowing WordMatcher, _ entry: Int, _ isWhole: Bool
    ) -> Bool {
      var carry: UInt64 = 0
      var any: UInt64 = 0
      var hits: UInt64 = 0
      var missing: UInt64 = 0
      for index in 0..<matcher.width {
        let places =
          isWhole ? matcher.entries[entry].places[index] : matcher.entries[entry].placesOfLonger[index]
        let moved = state[index] << 1 | carry | matcher.firstWords[index]
        carry = state[index] >> 63
        state[index] = moved & places
        any |= state[index]
        let ends = state[index] & matcher.lastWords[index]
        hits |= ends
        found[index] |= ends
        missing |= matcher.lastWords[index] & ~found[index]
      }
      isMatch = needsAll ? missing == 0 : hits != 0
      return any != 0
    }
  }

  /// The entry that is the word, or the longest that is its beginning if the query takes such.
  private func entry(for word: Span<UInt8>) -> (index: Int, isWhole: Bool)? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let candidate = entries[middle].word
      switch Order(bytes: candidate.span, word) {
      case .same: return (middle, true)
      case .before: low = middle + 1
      case .after: high = middle
      }
    }
    guard matchesPrefixes, low > 0 else { return nil }
    let before = entries[low - 1].word
    let common = word.lengthOfCommonBeginning(with: before.span)
    var beginning: Int? = low - 1
    while let index = beginning, entries[index].word.count > common { beginning = entries[index].beginning }
    return beginning.map { ($0, false) }
  }
}

extension InlineArray where Element == UInt64, count == 16 {
  fileprivate mutating func insert(_ place: Int) {
    self[place >> 6] |= 1 << UInt64(place & 63)
  }

  fileprivate mutating func formUnion(_ other: Self) {
    for index in indices { self[index] |= other[index] }
  }
}

extension Span where Element == UInt8 {
  fileprivate func lengthOfCommonBeginning(with other: Span<UInt8>) -> Int {
    var length = 0
    while length < count, length < other.count, self[length] == other[length] { length += 1 }
    return length
  }
}
