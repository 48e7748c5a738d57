import Testing

@testable import Records

struct ScalarSetTests {
  @Test("sets do what sets of numbers do", arguments: 1...4 as ClosedRange<UInt64>)
  func agreesWithSets(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func random() -> (ScalarSet, Set<UInt32>) {
      let ranges = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        let start = UInt32.random(in: 0...20, using: &generator)
        return start...(start + UInt32.random(in: 0...5, using: &generator))
      }
      return (ScalarSet(ranges), Set(ranges.flatMap { Array($0) }))
    }
    for _ in 0..<100 {
      let (left, leftSet) = random()
      let (right, rightSet) = random()
      for value in UInt32(0)...30 {
        let isLeft = leftSet.contains(value)
        let isRight = rightSet.contains(value)
        #expect(left.contains(value) == isLeft)
        #expect(left.union(right).contains(value) == (isLeft || isRight))
        #expect(left.intersection(right).contains(value) == (isLeft && isRight))
        #expect(left.subtracting(right).contains(value) == (isLeft && !isRight))
        #expect(left.complement.contains(value) == !isLeft)
      }
      #expect(left.complement.complement == left)
    }
  }

  @Test("the code points of a property are those that have it")
  func properties() {
    let letters = ScalarProperties.scalars(in: [.uppercaseLetter])
    let unassigned = ScalarProperties.scalars(in: [.unassigned])
    let sets = [
      ScalarProperties.Traits.alphabetic, .uppercase, .lowercase, .whiteSpace, .ideographic, .emoji,
    ].map { ScalarProperties.scalars(with: $0) }
    var wrong: [UInt32] = []
    // Every one up to the ideographs, then samples, and all around the ends of the planes.
    let values =
      Array(UInt32(0)...0x33FF) + stride(from: 0x3400, through: 0x10FFFF, by: 211)
      + (1...0x11).flatMap { (plane: UInt32) in (plane << 16 - 300)...min(plane << 16 + 10, 0x10FFFF) }
    for value in values {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      if letters.contains(value) != (properties.generalCategory == .uppercaseLetter)
        || unassigned.contains(value) != (properties.generalCategory == .unassigned)
        || sets.map({ $0.contains(value) }) != [
          properties.isAlphabetic, properties.isUppercase, properties.isLowercase, properties.isWhitespace,
          properties.isIdeographic, properties.isEmoji,
        ]
      {
        wrong.append(value)
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("no folding makes another character of those in the blocks that are left out")
  func unchangedBlocks() {
    var wrong: [UInt32] = []
    for block in FoldedScalars.unchangedBlocks {
      for value in stride(from: block.lowerBound, through: block.upperBound, by: 53) {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let folded = FoldedScalars.fold(scalar, [.caseInsensitive, .diacriticInsensitive])
        if !folded.isEmpty, folded != [value] { wrong.append(value) }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("a partition keeps apart what sets or literals keep apart", arguments: 1...4 as ClosedRange<UInt64>)
  func classes(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let sets = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        ScalarSet(
          (0..<3).map { _ in
            let start = UInt32.random(in: 100...160, using: &generator)
            return start...(start + UInt32.random(in: 0...9, using: &generator))
          })
      }
      let literals: Set<UInt32> = [UInt32.random(in: 100...160, using: &generator), ScalarSet.last]
      let classes = ScalarClasses(sets: sets, literals: literals)
      for value in Array(UInt32(90)...180) + [0, ScalarSet.last, ScalarSet.last - 1] {
        let number = classes.number(of: value)
        for (index, set) in sets.enumerated() {
          #expect((classes.members[Int(number)][0] >> UInt64(index) & 1 == 1) == set.contains(value))
        }
        for literal in literals { #expect((classes.number(of: literal) == number) == (literal == value)) }
      }
    }
  }
}
