/// How the title in an index beside a list comes from the name of a section.
public enum SectionIndexTitle: String, Sendable, CaseIterable {
  /// The first character as a reader sees it (a whole grapheme), upper-cased.
  case firstLetter
  case whole
  case wholeUppercased

  /// The title for a section; empty for an empty name.
  ///
  /// - Parameter collation: What the sections are sorted by. In a localized order `Åland` stands between
  ///   `Afghanistan` and `Albania`, so the first letter is taken without its marks: else the index would
  ///   have `A`, `Å` and `A` again.
  public func title(forSection name: String, collation: SortDescriptor.Collation = .codePoint) -> String {
    switch self {
    case .firstLetter:
      switch (name.first, collation) {
      case (let first?, .codePoint): first.uppercased()
      case (let first?, .localized): TextFolding.diacriticInsensitive.fold(String(first)).uppercased()
      case (nil, _): ""
      }
    case .whole: name
    case .wholeUppercased: name.uppercased()
    }
  }
}
