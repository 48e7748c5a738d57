/// The assertions that hold somewhere in a text, as far as a pattern asks for them. Empty where a step needs to
/// know of none.
struct AssertionSet: OptionSet, Sendable {
  let rawValue: UInt8

  static func one(_ assertion: RegularExpressionNode.Assertion) -> AssertionSet {
    AssertionSet(rawValue: 1 << assertion.rawValue)
  }

  func holds(_ assertion: RegularExpressionNode.Assertion) -> Bool {
    // Most places are no word boundary; that they are none is not said, so that they need no step of their own.
    assertion == .noWordBoundary ? !contains(.one(.wordBoundary)) : contains(.one(assertion))
  }
}

/// Tells which assertions hold at the places of one text.
struct RegularExpressionContext {
  private let program: RegularExpressionProgram
  private let asked: AssertionSet
  /// Whether something may hold anywhere, not only at the ends of the text.
  private let isAskedEverywhere: Bool
  /// Where the line terminator begins that ends the text; the text's end when there is none.
  private let lastLineEnd: Int

  init(_ program: RegularExpressionProgram, _ text: Span<UInt8>) {
    self.program = program
    var asked: AssertionSet = []
    for assertion in program.assertions {
      asked.insert(.one(assertion == .noWordBoundary ? .wordBoundary : assertion))
    }
    self.asked = asked
    isAskedEverywhere =
      !asked.isDisjoint(with: [.one(.lineStart), .one(.lineEnd), .one(.wordBoundary)])
    lastLineEnd = asked.contains(.one(.lastLineEnd)) ? text.startOfLastLineTerminator : text.count
  }

  /// At an offset of the text, between code points of these classes (nil at the ends of the text).
  func holding(in text: Span<UInt8>, at offset: Int, after before: UInt16?, before next: UInt16?)
    -> AssertionSet
  {
    if asked.isEmpty { return [] }
    if !isAskedEverywhere, offset != 0, offset != lastLineEnd, offset != text.count { return [] }
    var result: AssertionSet = []
    if offset == 0 { result.insert(.one(.textStart)) }
    if offset == text.count { result.insert(.one(.textEnd)) }
    if offset == text.count || offset == lastLineEnd { result.insert(.one(.lastLineEnd)) }
    if isAskedEverywhere {
      let isInTerminator = text.isBetweenReturnAndFeed(offset)
      if offset == 0 || offset < text.count && !isInTerminator && text.endsWithLineTerminator(offset) {
        result.insert(.one(.lineStart))
      }
      if offset == text.count || !isInTerminator && text.startsWithLineTerminator(offset) {
        result.insert(.one(.lineEnd))
      }
      if isWord(before) != isWord(next) { result.insert(.one(.wordBoundary)) }
    }
    return result.intersection(asked)
  }

  private func isWord(_ number: UInt16?) -> Bool {
    guard let number, let set = program.wordSet else { return false }
    return program.classes.members[Int(number)][set / 64] >> UInt64(set % 64) & 1 != 0
  }
}

extension Span where Element == UInt8 {
  fileprivate func isBetweenReturnAndFeed(_ offset: Int) -> Bool {
    offset > 0 && offset < count && self[offset - 1] == 0x0D && self[offset] == 0x0A
  }

  fileprivate func startsWithLineTerminator(_ offset: Int) -> Bool {
    guard offset < count else { return false }
    switch self[offset] {
    case 0x0A...0x0D: return true
    case 0xC2: return offset + 1 < count && self[offset + 1] == 0x85
    case 0xE2:
      return offset + 2 < count && self[offset + 1] == 0x80 && self[offset + 2] | 1 == 0xA9
    default: return false
    }
  }

  fileprivate func endsWithLineTerminator(_ offset: Int) -> Bool {
    guard offset > 0 else { return false }
    switch self[offset - 1] {
    case 0x0A...0x0D: return true
    case 0x85: return offset > 1 && self[offset - 2] == 0xC2
    case 0xA8, 0xA9: return offset > 2 && self[offset - 2] == 0x80 && self[offset - 3] == 0xE2
    default: return false
    }
  }

  fileprivate var startOfLastLineTerminator: Int {
    guard endsWithLineTerminator(count) else { return count }
    switch self[count - 1] {
    case 0x0A: return isBetweenReturnAndFeed(count - 1) ? count - 2 : count - 1
    case 0x0B...0x0D: return count - 1
    case 0x85: return count - 2
    default: return count - 3
    }
  }
}
