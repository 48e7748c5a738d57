/// The pattern of LIKE: `*` stands for any text, `?` for one code point, a backslash takes the special meaning
/// from the character behind it; everything else is itself.
///
/// Matching takes time in proportion to the text, whatever the pattern: the parts between the stars are looked
/// for one after another, each at its first place, and a part with `?` in it with one bit for each of its
/// code points (Baeza-Yates and Gonnet's Shift-And).
struct LikePattern: Sendable {
  /// Code points. A longer pattern is refused where it is written, and matches nothing where it comes from a
  /// record.
  static let maximumLength = 1024

  /// A part of the pattern without stars: code points, nil for any one.
  private struct Part: Sendable {
    var scalars: [UInt32?]
    /// Its UTF-8, unless it has a `?`.
    var bytes: [UInt8]?
  }

  private let parts: [Part]

  /// `folding` is what the texts to be matched were folded by. Nil when the pattern is too long.
  init?(_ pattern: String, folding: TextFolding) {
    guard pattern.unicodeScalars.count <= Self.maximumLength else { return nil }
    var parts: [Part] = []
    var part: [UInt32?] = []
    var literal = String.UnicodeScalarView()
    var isEscaped = false
    func endLiteral() {
      part += String(decoding: folding.folded(String(literal)), as: UTF8.self).unicodeScalars.map(\.value)
      literal = String.UnicodeScalarView()
    }
    func endPart() {
      endLiteral()
      parts.append(Self.part(part))
      part = []
    }
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        if !"*?\\".unicodeScalars.contains(scalar) { literal.append("\\") }
        literal.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "*" {
        endPart()
      } else if scalar == "?" {
        endLiteral()
        part.append(nil)
      } else {
        literal.append(scalar)
      }
    }
    if isEscaped { literal.append("\\") }
    endPart()
    self.parts = parts
  }

  private static func part(_ scalars: [UInt32?]) -> Part {
    var bytes: [UInt8] = []
    for scalar in scalars {
      guard let scalar, let scalar = Unicode.Scalar(scalar) else { return Part(scalars: scalars, bytes: nil) }
      bytes.append(scalar)
    }
    return Part(scalars: scalars, bytes: bytes)
  }

  /// Whether the whole text, UTF-8 and folded, is as the pattern says.
  func matches(_ text: Span<UInt8>) -> Bool {
    guard let first = parts.first, let start = Self.end(of: first, in: text, from: 0) else { return false }
    if parts.count == 1 { return start == text.count }
    let last = parts[parts.count - 1]
    guard let end = Self.start(of: last, before: text.count, in: text), start <= end,
      Self.end(of: last, in: text, from: end) == text.count
    else { return false }
    var position = start
    let middle = text.extracting(first: end)
    for part in parts[1..<parts.count - 1] {
      guard let next = Self.endOfFirst(part, in: middle, from: position) else { return false }
      position = next
    }
    return true
  }

  /// Behind the part, if it stands at `position`.
  private static func end(of part: Part, in text: Span<UInt8>, from position: Int) -> Int? {
    if let bytes = part.bytes {
      return text.extracting(position..<text.count).hasPrefix(bytes.span) ? position + bytes.count : nil
    }
    var position = position
    for expected in part.scalars {
      guard position < text.count else { return nil }
      let scalar = text.scalar(at: &position)
      if let expected, expected != scalar { return nil }
    }
    return position
  }

  /// Where the part has to begin to end at `end`.
  private static func start(of part: Part, before end: Int, in text: Span<UInt8>) -> Int? {
    if let bytes = part.bytes { return end >= bytes.count ? end - bytes.count : nil }
    var position = end
    for _ in part.scalars {
      guard position > 0 else { return nil }
      repeat { position -= 1 } while position > 0 && text[position] & 0xC0 == 0x80
    }
    return position
  }

  /// Behind the first place from `position` on where the part stands.
  private static func endOfFirst(_ part: Part, in text: Span<UInt8>, from position: Int) -> Int? {
    if let bytes = part.bytes {
      return text.firstOffset(of: bytes.span, from: position).map { $0 + bytes.count }
    }
    let words = (part.scalars.count + 63) / 64
    var places: [UInt32: [UInt64]] = [:]
    var anywhere = [UInt64](repeating: 0, count: words)
    for (index, scalar) in part.scalars.enumerated() {
      let bit: UInt64 = 1 << UInt64(index % 64)
      if let scalar {
        places[scalar, default: [UInt64](repeating: 0, count: words)][index / 64] |= bit
      } else {
        anywhere[index / 64] |= bit
      }
    }
    let last: UInt64 = 1 << UInt64((part.scalars.count - 1) % 64)
    var state = [UInt64](repeating: 0, count: words)
    var position = position
    while position < text.count {
      let allowed = places[text.scalar(at: &position)]
      var carry: UInt64 = 1
      for word in 0..<words {
        let shifted = state[word] << 1 | carry
        carry = state[word] >> 63
        state[word] = shifted & (anywhere[word] | (allowed?[word] ?? 0))
      }
      if state[words - 1] & last != 0 { return position }
    }
    return nil
  }
}

extension Span where Element == UInt8 {
  /// The code point at `position`, which moves behind it. The UTF-8 is presumed valid.
  func scalar(at position: inout Int) -> UInt32 {
    let lead = self[position]
    let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    var value = UInt32(length == 1 ? lead : lead & (0x7F >> UInt8(length)))
    let end = Swift.min(position + length, count)
    for index in position + 1..<Swift.max(end, position + 1) {
      value = value << 6 | UInt32(self[index] & 0x3F)
    }
    position = end
    return value
  }
}
