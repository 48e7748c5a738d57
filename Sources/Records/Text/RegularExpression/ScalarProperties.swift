/// The code points of Unicode's properties, which the standard library tells only for one at a time.
enum ScalarProperties {
  typealias Category = Unicode.GeneralCategory

  struct Traits: OptionSet, Sendable {
    let rawValue: UInt8

    static let alphabetic = Traits(rawValue: 1)
    static let uppercase = Traits(rawValue: 2)
    static let lowercase = Traits(rawValue: 4)
    static let whiteSpace = Traits(rawValue: 8)
    static let ideographic = Traits(rawValue: 16)
    static let emoji = Traits(rawValue: 32)
  }

  /// Code points with the same properties.
  private struct Run: Sendable {
    let range: ClosedRange<UInt32>
    let category: Category
    let traits: Traits
  }

  /// Worked out when first needed: some milliseconds.
  private static let runs: [Run] = {
    var runs: [Run] = []
    func close(_ start: UInt32, _ end: UInt32, _ category: Category, _ traits: Traits) {
      runs.append(Run(range: start...end, category: category, traits: traits))
    }
    // Planes 4 to 13 have no characters assigned, and planes 15 and 16 are private. The surrogates are no
    // scalars, and never in a text.
    var start: UInt32 = 0
    var category = Category.control
    var traits: Traits = []
    func visit(_ values: ClosedRange<UInt32>) {
      for value in values {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let next = scalar.properties.generalCategory
        let nextTraits = Traits(of: scalar, next)
        if next != category || nextTraits != traits {
          if value > start { close(start, value - 1, category, traits) }
          (start, category, traits) = (value, next, nextTraits)
        }
      }
    }
    visit(0...0xD7FF)
    close(start, 0xD7FF, category, traits)
    (start, category, traits) = (0xE000, .privateUse, [])
    visit(0xE000...0x3FFFF)
    close(start, 0x3FFFF, category, traits)
    close(0x40000, 0xDFFFF, .unassigned, [])
    (start, category, traits) = (0xE0000, .unassigned, [])
    visit(0xE0000...0xE0FFF)
    close(start, 0xE0FFF, category, traits)
    close(0xE1000, 0xEFFFF, .unassigned, [])
    close(0xF0000, 0xFFFFD, .privateUse, [])
    close(0xFFFFE, 0xFFFFF, .unassigned, [])
    close(0x100000, 0x10FFFD, .privateUse, [])
    close(0x10FFFE, 0x10FFFF, .unassigned, [])
    return runs
  }()

  static func scalars(in categories: Set<Category>) -> ScalarSet {
    ScalarSet(runs.lazy.filter { categories.contains($0.category) }.map(\.range))
  }

  static func scalars(with traits: Traits) -> ScalarSet {
    ScalarSet(runs.lazy.filter { $0.traits.contains(traits) }.map(\.range))
  }

  // MARK: The classes that a letter behind a backslash stands for

  static let digits = scalars(in: [.decimalNumber])
  static let whiteSpace = scalars(with: .whiteSpace)
  /// Letters, marks, decimal digits, connecting punctuation such as the low line, and joiners.
  static let wordCharacters = scalars(with: .alphabetic)
    .union(scalars(in: [.nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber]))
    .union(scalars(in: [.connectorPunctuation])).union([0x200C, 0x200D])
  static let horizontalSpace = scalars(in: [.spaceSeparator]).union([0x09])
  static let lineTerminators = ScalarSet([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
}

extension ScalarProperties.Traits {
  fileprivate init(of scalar: Unicode.Scalar, _ category: Unicode.GeneralCategory) {
    self = []
    if category == .unassigned { return }
    let properties = scalar.properties
    if properties.isAlphabetic { insert(.alphabetic) }
    if properties.isIdeographic { insert(.ideographic) }
    // Most of all characters, and none of them is anything else.
    if category == .otherLetter, scalar.value >= 0x3400 { return }
    if properties.isUppercase { insert(.uppercase) }
    if properties.isLowercase { insert(.lowercase) }
    if properties.isWhitespace { insert(.whiteSpace) }
    if properties.isEmoji { insert(.emoji) }
  }
}
