/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Sendable, Equatable {
  public enum Reason: Sendable, Equatable {
    /// The text ends where more is needed. Also the empty text.
    case unexpectedEnd
    case expectedValue
    case expectedMemberName
    case expectedColon
    case expectedCommaOrBracket
    case expectedCommaOrBrace
    /// Something follows the value.
    case trailingText
    case invalidNumber
    case invalidEscape
    /// An escape for half of a surrogate pair: it stands for no character.
    case loneSurrogate
    case controlCharacter
    case invalidUTF8
    /// More open brackets than this many.
    case tooDeep(limit: Int)
  }

  /// Where the fault was noticed: bytes before it, from 0 to the length of the text.
  public var offset: Int
  public var reason: Reason

  public init(offset: Int, reason: Reason) {
    self.offset = offset
    self.reason = reason
  }

  /// One sentence without a full stop, for a person.
  public var message: String {
    "\(explanation) at byte \(offset)"
  }

  /// The same without the place.
  public var explanation: String {
    switch reason {
    case .unexpectedEnd: "the text ends too early"
    case .expectedValue: "expected a value"
    case .expectedMemberName: "expected a member name in double quotes"
    case .expectedColon: "expected ':' after the member name"
    case .expectedCommaOrBracket: "expected ',' or ']'"
    case .expectedCommaOrBrace: "expected ',' or '}'"
    case .trailingText: "expected nothing after the value"
    case .invalidNumber: "expected a digit"
    case .invalidEscape: "unknown escape"
    case .loneSurrogate: "half a surrogate pair"
    case .controlCharacter: "unescaped control character in a string"
    case .invalidUTF8: "invalid UTF-8"
    case .tooDeep(let limit): "more than \(limit) levels of brackets"
    }
  }
}
