/// How the title in an index beside a list comes from the name of a section.
public enum SectionIndexTitle: String, Sendable, CaseIterable {
  /// The first character as a reader sees it (a whole grapheme), upper-cased.
  case firstLetter
  case whole
  case wholeUppercased

  /// The title for a section; empty for an empty name.
  ///
  /// A first letter is one character also where upper case has several: `ß` stands under `S`, the ligature `ﬁ`
  /// under `F`. It is in normalization form C, so that names that are written differently and look the same
  /// have the same title. What has no case is itself: a digit, an emoji, white space.
  ///
  /// - Parameter collation: What the sections are sorted by. In a localized order `Åland` stands between
  ///   `Afghanistan` and `Albania`, so the first letter is taken without its marks: else the index would
  ///   have `A`, `Å` and `A` again.
  public func title(forSection name: String, collation: SortDescriptor.Collation = .codePoint) -> String {
    switch self {
    case .firstLetter: name.first.map { Self.letter($0, collation) } ?? ""
    case .whole: name
    case .wholeUppercased: name.uppercased()
    }
  }

  private static func letter(_ character: Character, _ collation: SortDescriptor.Collation) -> String {
    let plain = collation == .localized ? TextFolding.diacriticInsensitive.fold(String(character)) : ""
    // A mark that stands alone would leave nothing.
    let upper = (plain.isEmpty ? String(character) : plain).uppercased()
    return TextFolding().fold(String(upper.prefix(1)))
  }
}
