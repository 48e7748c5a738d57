/// How the title in an index beside a list comes from the name of a section.
public enum SectionIndexTitle: String, Sendable, CaseIterable {
  /// The first character as a reader sees it (a whole grapheme), upper-cased.
  case firstLetter
  case whole
  case wholeUppercased

  /// The title for a section; empty for an empty name.
  public func title(forSection name: String) -> String {
    switch self {
    case .firstLetter: name.first?.uppercased() ?? ""
    case .whole: name
    case .wholeUppercased: name.uppercased()
    }
  }
}
