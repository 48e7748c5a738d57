internal import Records

/// A name told apart from others by its bytes, as names are here: for dictionaries, where `String` would
/// take composed and decomposed characters for one.
struct Name: Sendable, Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Name, right: Name) -> Bool { left.text.hasSameUTF8(as: right.text) }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// By code point.
extension Name: Comparable {
  static func < (left: Name, right: Name) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
