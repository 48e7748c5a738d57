extension RegularExpressionParser {
  /// Behind a backslash outside brackets.
  mutating func escape() throws(SyntaxError) -> Part {
    let start = position - 1
    guard position < text.count else { throw Self.nothingEscaped(at: position) }
    let scalar = text[position]
    position += 1
    switch scalar {
    case "A", "G": return .node(.assertion(.textStart))
    case "z": return .node(.assertion(.textEnd))
    case "Z": return .node(.assertion(.lastLineEnd))
    case "b": return .node(.assertion(.wordBoundary))
    case "B": return .node(.assertion(.noWordBoundary))
    case "R":
      return .node(.alternatives([.text([0x0D, 0x0A]), .one(of: ScalarProperties.lineTerminators)]))
    case "1"..."9", "k":
      throw SyntaxError(
        at: start, expected: "no back reference",
        problem:
          "what a group took isn't kept, since comparing with it could take more time than a text may cost")
    case "X":
      throw SyntaxError(
        at: start, expected: "another escape", problem: "\\X, a whole character, is not supported")
    default:
      if let set = try classEscape(scalar, at: start) { return .node(.one(of: set)) }
      return .character(try characterEscape(scalar, at: start))
    }
  }

  static func nothingEscaped(at offset: Int) -> SyntaxError {
    SyntaxError(at: offset, expected: "a character behind the backslash")
  }

  /// The class that a letter behind a backslash stands for, as it is for folded texts; nil for a single
  /// character. (Folding leads out of none of the classes that have a letter of their own.)
  mutating func classEscape(_ scalar: Unicode.Scalar, at start: Int) throws(SyntaxError) -> ScalarSet? {
    switch scalar {
    case "d": return ScalarProperties.digits
    case "D": return ScalarProperties.digits.complement
    case "s": return ScalarProperties.whiteSpace
    case "S": return ScalarProperties.whiteSpace.complement
    case "w": return ScalarProperties.wordCharacters
    case "W": return ScalarProperties.wordCharacters.complement
    case "h": return ScalarProperties.horizontalSpace
    case "H": return ScalarProperties.horizontalSpace.complement
    case "v": return ScalarProperties.lineTerminators
    case "V": return ScalarProperties.lineTerminators.complement
    case "p", "P": return try property(isNegated: scalar == "P", at: start)
    default: return nil
    }
  }

  /// Behind `\p` or `\P`: `{name}`, or one letter.
  private mutating func property(isNegated: Bool, at start: Int) throws(SyntaxError) -> ScalarSet {
    var isNegated = isNegated
    var name = String.UnicodeScalarView()
    if position < text.count, text[position] == "{" {
      position += 1
      if position < text.count, text[position] == "^" {
        isNegated.toggle()
        position += 1
      }
      while position < text.count, text[position] != "}" {
        name.append(text[position])
        position += 1
      }
      guard position < text.count else { throw SyntaxError(at: position, expected: "}") }
      position += 1
    } else if position < text.count {
      name.append(text[position])
      position += 1
    }
    guard let set = foldedProperty(String(name)) else {
      throw SyntaxError(
        at: start, expected: "a general category such as \\p{Lu} or a script such as \\p{Greek}",
        problem: "the property \(String(name)) is not known")
    }
    return isNegated ? set.complement : set
  }

  /// The characters of a property as they are in a folded text; nil when there is none of that name.
  mutating func foldedProperty(_ name: String) -> ScalarSet? {
    let key = ScalarProperties.plain(name) + (flags.contains(.anyCase) ? "/i" : "")
    if let known = properties[key] { return known }
    guard let set = ScalarProperties.scalars(named: name).map({ folded($0) }) else { return nil }
    properties[key] = set
    return set
  }

  /// The character that is written with a backslash and this one.
  mutating func characterEscape(_ scalar: Unicode.Scalar, at start: Int) throws(SyntaxError) -> Unicode.Scalar
  {
    switch scalar {
    case "a": return "\u{07}"
    case "e": return "\u{1B}"
    case "f": return "\u{0C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "0": return try number(base: 8, digits: 1...3, at: start)
    case "u": return try utf16(at: start)
    case "U": return try number(base: 16, digits: 8...8, at: start)
    case "x":
      guard position < text.count, text[position] == "{" else {
        return try number(base: 16, digits: 1...2, at: start)
      }
      position += 1
      let value = try number(base: 16, digits: 1...6, at: start)
      guard position < text.count, text[position] == "}" else {
        throw SyntaxError(at: position, expected: "}")
      }
      position += 1
      return value
    case "c":
      guard position < text.count, text[position].isASCII else { throw Self.nothingEscaped(at: position) }
      position += 1
      return Unicode.Scalar(UInt8(text[position - 1].value & 0x1F))
    case "a"..."z", "A"..."Z", "1"..."9":
      throw SyntaxError(
        at: start, expected: "another escape",
        problem: "\\\(scalar) has no meaning (the character itself is written without a backslash)")
    default: return scalar
    }
  }

  private mutating func digits(base: UInt32, count: ClosedRange<Int>) throws(SyntaxError) -> UInt32 {
    var value: UInt32 = 0
    var read = 0
    while read < count.upperBound, position < text.count, let digit = text[position].hexadecimal, digit < base
    {
      value = value * base + digit
      position += 1
      read += 1
    }
    guard read >= count.lowerBound else {
      let number = count.lowerBound == 1 ? "a" : "\(count.lowerBound)"
      let kind = base == 8 ? "octal" : "hexadecimal"
      throw SyntaxError(at: position, expected: "\(number) \(kind) digit\(count.lowerBound == 1 ? "" : "s")")
    }
    return value
  }

  private mutating func number(
    base: UInt32, digits count: ClosedRange<Int>, at start: Int
  ) throws(SyntaxError) -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(try digits(base: base, count: count)) else {
      throw Self.noCharacter(at: start)
    }
    return scalar
  }

  /// `\uXXXX`, or two of them that are a surrogate pair.
  private mutating func utf16(at start: Int) throws(SyntaxError) -> Unicode.Scalar {
    let high = try digits(base: 16, count: 4...4)
    if (0xD800...0xDBFF).contains(high), position + 1 < text.count, text[position] == "\\",
      text[position + 1] == "u"
    {
      position += 2
      let low = try digits(base: 16, count: 4...4)
      if (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    guard let scalar = Unicode.Scalar(high) else { throw Self.noCharacter(at: start) }
    return scalar
  }

  private static func noCharacter(at offset: Int) -> SyntaxError {
    SyntaxError(at: offset, expected: "a code point of Unicode", problem: "there is no such character")
  }

  /// A class as it stands for the characters of a folded text.
  func folded(_ set: ScalarSet) -> ScalarSet {
    if folding.isEmpty, set.isASCII, !flags.contains(.anyCase) { return set }
    let result = FoldedScalars.of(folding).folded(set, folding: folding)
    guard flags.contains(.anyCase), !folding.contains(.caseInsensitive) else { return result }
    return CaseVariants.closure(of: result)
  }
}

extension Unicode.Scalar {
  fileprivate var hexadecimal: UInt32? {
    switch self {
    case "0"..."9": value - 0x30
    case "a"..."f": value - 0x61 + 10
    case "A"..."F": value - 0x41 + 10
    default: nil
    }
  }
}
