import Synchronization

/// The pattern of MATCHES: a regular expression in ICU's spelling, as far as such expressions describe regular
/// languages, tried against a whole text.
///
/// Matching takes time in proportion to the text for every pattern, needs memory within fixed bounds, and
/// can't fail. What would break that (backreferences, look-around, atomic groups, possessive quantifiers) is
/// refused when the pattern is read, as is a pattern whose repetitions written out are larger than
/// ``maximumInstructions``.
///
/// The text is folded before it is matched, and so is the pattern: stretches of plain characters are folded
/// whole (`straße` under `[c]` is `strasse`), a character in brackets stands for its folded form, and `.` or a
/// class for one code point of the folded text.
///
/// Safe to use from any thread.
public struct RegularExpression: Sendable {
  /// Unicode scalars that a pattern may have.
  public static let maximumLength = 4_096
  /// Steps of the written-out pattern: a character or class is one, `a{3}` three, an alternative two more.
  public static let maximumInstructions = 1_000
  /// Bytes of a folded text that is tried; a longer one is not matched by any pattern. With
  /// ``maximumInstructions`` it bounds what a single match can take, for the worst of patterns and texts.
  public static let maximumTextBytes = 1 << 18
  /// Groups and brackets in one another.
  public static let maximumDepth = 200

  public let pattern: String
  public let folding: TextFolding
  private let memory: Memory

  /// Reads a pattern for texts that are folded by `folding`.
  public init(_ pattern: String, folding: TextFolding) throws(SyntaxError) {
    var parser = try RegularExpressionParser(pattern, folding: folding)
    let program = RegularExpressionProgram(try parser.parse())
    self.pattern = pattern
    self.folding = folding
    memory = Memory(program)
  }

  /// Why a text is no pattern, and where.
  public struct SyntaxError: Error, Equatable {
    /// Of the Unicode scalar of the pattern where the fault was noticed; the pattern's length for its end.
    public var offset: Int
    /// What should have been there, as a noun: "a closing parenthesis".
    public var expected: String
    /// What is wrong, where it is not simply that something else stands there.
    public var problem: String?

    init(at offset: Int, expected: String, problem: String? = nil) {
      self.offset = offset
      self.expected = expected
      self.problem = problem
    }
  }

  /// Whether the whole text, UTF-8 and folded by ``folding``, is one that the pattern describes.
  public func matches(_ text: Span<UInt8>) -> Bool {
    guard text.count <= Self.maximumTextBytes else { return false }
    let known = memory.automaton.withLockIfAvailable { $0.matches(text) }
    // Another thread is at it: this one doesn't wait for it to come to the end of its text.
    if let known { return known }
    var automaton = RegularExpressionAutomaton(memory.program)
    return automaton.matches(text)
  }

  /// An automaton of its own, for tests that count its steps.
  var automaton: RegularExpressionAutomaton { RegularExpressionAutomaton(memory.program) }

  /// What was found out about the pattern by matching, kept for the next text.
  private final class Memory: Sendable {
    let program: RegularExpressionProgram
    let automaton: Mutex<RegularExpressionAutomaton>

    init(_ program: RegularExpressionProgram) {
      self.program = program
      automaton = Mutex(RegularExpressionAutomaton(program))
    }
  }
}

/// The same pattern and folding.
extension RegularExpression: Equatable {
  public static func == (left: RegularExpression, right: RegularExpression) -> Bool {
    left.folding == right.folding && left.pattern.hasSameUTF8(as: right.pattern)
  }
}
