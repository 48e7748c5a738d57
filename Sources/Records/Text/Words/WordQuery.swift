public import JSONRPC

/// What full text is asked for: terms, each of them one word or several that stand next to each other in one
/// text.
///
/// The terms are what stands between white space; all else in the text, quotes and operators of search engines
/// included, is data like any other. A term without a word (`"`, `-`) asks for nothing; a query without any
/// word matches nothing.
public struct WordQuery: Sendable {
  public enum Mode: Sendable, Equatable {
    /// One of the terms is enough.
    case anyTerm
    /// Every term must be there, each in any of the texts.
    case allTerms
  }

  /// Words in all terms together.
  public static let maximumWords = WordMatcher.maximumWords

  public let mode: Mode
  /// Whether the last word of each term also finds the words that it is the beginning of.
  public let matchesPrefixes: Bool
  /// The words of each term, folded; no term is empty.
  public let terms: [[String]]

  private let matcher: WordMatcher

  /// Nil when there are more than ``maximumWords``.
  public init?(_ text: String, mode: Mode, matchesPrefixes: Bool = false) {
    var terms: [[String]] = []
    var count = 0
    for term in text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
      let words = Words.words(of: String(term))
      if words.isEmpty { continue }
      count += words.count
      guard count <= Self.maximumWords else { return nil }
      terms.append(words)
    }
    self.mode = mode
    self.matchesPrefixes = matchesPrefixes
    self.terms = terms
    matcher = WordMatcher(terms, matchesPrefixes: matchesPrefixes)
  }

  /// Whether there is no word in it; it matches nothing then.
  public var isEmpty: Bool { terms.isEmpty }

  /// Whether the texts of the record match: those of its fields that are text or lists of text.
  public func matches(_ record: StoredRecord) -> Bool {
    var progress = progress()
    record.forEachText { _, text in progress.add(text, matcher) }
    return progress.isMatch
  }

  /// Whether a value of a record does, given as its JSON (nil when it is missing): a text or a list of texts.
  public func matches(_ value: JSON?) -> Bool {
    var progress = progress()
    value?.forEachText { progress.add($0, matcher) }
    return progress.isMatch
  }

  /// Whether the texts do.
  public func matches(_ texts: some Sequence<String>) -> Bool {
    var progress = progress()
    for text in texts where !progress.add(WordFolding.folded(text).span, matcher) { break }
    return progress.isMatch
  }

  private func progress() -> WordMatcher.Progress {
    WordMatcher.Progress(matcher, needsAll: mode == .allTerms)
  }
}

extension WordQuery: Equatable {
  public static func == (left: WordQuery, right: WordQuery) -> Bool {
    left.mode == right.mode && left.matchesPrefixes == right.matchesPrefixes && left.terms == right.terms
  }
}

extension StoredRecord {
  /// Gives what full text covers to `visit`, the texts of the fields that are text or lists of text, with the
  /// name of the field as JSON; until it returns false.
  public func forEachText(_ visit: (_ field: JSON, _ text: JSON) -> Bool) {
    guard let fields = body["fields"] else { return }
    for member in fields.members {
      guard member.value.forEachText({ visit(member.key, $0) }) else { return }
    }
  }
}

extension JSON {
  /// Gives the value to `visit` if it is a text, its texts if it is a list, until it returns false, and is
  /// false then.
  @discardableResult
  fileprivate func forEachText(_ visit: (JSON) -> Bool) -> Bool {
    switch kind {
    case .string: return visit(self)
    case .array:
      for element in elements where element.kind == .string {
        guard visit(element) else { return false }
      }
      return true
    default: return true
    }
  }
}
