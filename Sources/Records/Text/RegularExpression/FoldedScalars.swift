/// What folding makes of single code points, for classes of them: those of a text are folded already.
struct FoldedScalars: Sendable {
  /// The code points that folding changes, each with what it becomes; ascending.
  private let changed: [(scalar: UInt32, folded: [UInt32])]

  /// By folding; made when first needed, some milliseconds each.
  private static let none = FoldedScalars([])
  private static let caseInsensitive = FoldedScalars(.caseInsensitive)
  private static let diacriticInsensitive = FoldedScalars(.diacriticInsensitive)
  private static let both = FoldedScalars([.caseInsensitive, .diacriticInsensitive])

  static func of(_ folding: TextFolding) -> FoldedScalars {
    switch folding {
    case [.caseInsensitive, .diacriticInsensitive]: both
    case .caseInsensitive: caseInsensitive
    case .diacriticInsensitive: diacriticInsensitive
    default: none
    }
  }

  /// Blocks without a character that any folding changes: Han, Yi, Hangul syllables, surrogates, private use,
  /// Tangut, hieroglyphs and what is beyond the compatibility ideographs.
  static let unchangedBlocks: [ClosedRange<UInt32>] = [
    0x3400...0xA63F, 0xAC00...0xF8FF, 0x12000...0x16E3F, 0x17000...0x1BBFF, 0x1F000...0x2F7FF,
    0x2FA20...0x10FFFF,
  ]

  private init(_ folding: TextFolding) {
    var changed: [(UInt32, [UInt32])] = []
    var value: UInt32 = 0x80
    for block in Self.unchangedBlocks {
      for value in value..<block.lowerBound {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let folded = Self.fold(scalar, folding)
        if folded != [value] { changed.append((value, folded)) }
      }
      value = block.upperBound + 1
    }
    self.changed = changed
  }

  static func fold(_ scalar: Unicode.Scalar, _ folding: TextFolding) -> [UInt32] {
    String(decoding: folding.folded(String(Character(scalar))), as: UTF8.self).unicodeScalars.map(\.value)
  }

  /// The set, and the code points that those in it become. (The ones that folding changes are never in a
  /// text, so it does no harm that they stay.)
  func folded(_ set: ScalarSet, folding: TextFolding) -> ScalarSet {
    var added: [UInt32] = []
    if folding.contains(.caseInsensitive) {
      for capital in UInt32(0x41)...0x5A where set.contains(capital) { added.append(capital + 0x20) }
    }
    if !set.isASCII {
      for (scalar, folded) in changed where folded.count == 1 && set.contains(scalar) {
        added.append(folded[0])
      }
    }
    return set.union(added)
  }
}

/// Code points that differ only in case, one for one: the meaning of `(?i)` in a text that is not folded.
enum CaseVariants {
  /// All code points of each group of such, by each of them; made when first needed.
  private static let groups: [UInt32: [UInt32]] = {
    var byKey: [UInt32: [UInt32]] = [:]
    let capitals = ScalarProperties.scalars(with: .uppercase).union(
      ScalarProperties.scalars(with: .lowercase)
    )
    .union(ScalarProperties.scalars(in: [.titlecaseLetter, .nonspacingMark]))
    for range in capitals.ranges {
      for value in range {
        guard let scalar = Unicode.Scalar(value), let key = key(of: scalar) else { continue }
        byKey[key, default: []].append(value)
      }
    }
    var groups: [UInt32: [UInt32]] = [:]
    for variants in byKey.values where variants.count > 1 {
      for variant in variants { groups[variant] = variants }
    }
    return groups
  }()

  private static func key(of scalar: Unicode.Scalar) -> UInt32? {
    if scalar.isASCII { return UInt32(UInt8(scalar.value).lowercasedASCII) }
    guard scalar.properties.changesWhenCaseMapped else { return nil }
    let folded = scalar.caseFolded
    if folded.count == 1 { return folded[0].value }
    // What folds to several has a lower case of its own: the capital sharp s.
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    return lower.count == 1 ? lower.first?.value : nil
  }

  /// The set with all case variants of what is in it.
  static func closure(of set: ScalarSet) -> ScalarSet {
    var added: [UInt32] = []
    for (scalar, variants) in groups where set.contains(scalar) { added += variants }
    return set.union(added)
  }
}
