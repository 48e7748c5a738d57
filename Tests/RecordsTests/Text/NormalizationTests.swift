import Testing

@testable import Records

struct NormalizationTests {
  @Test("texts that the standard library calls equal have the same composed bytes, and no others")
  func agreesWithStringEquality() {
    for left in SampleValues.texts {
      for right in SampleValues.texts {
        let composed = (Normalization.composed(left), Normalization.composed(right))
        #expect((left == right) == (composed.0 == composed.1), "\(left) and \(right)")
      }
    }
  }

  @Test("what is taken for composed at a glance is never changed by composing, nor what stands before it")
  func knownComposed() {
    var known: Set<Unicode.Scalar> = []
    var joining: Set<Unicode.Scalar> = []
    for value in UInt32(0)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(Character(scalar))
      if text.utf8.span.isKnownComposed {
        known.insert(scalar)
        if composedAfterUnknown(text) != [scalar]
          || scalar.properties.canonicalCombiningClass != .notReordered
        {
          Issue.record("U+\(String(value, radix: 16)) is not stable")
        }
      }
      joining.formUnion(Normalization.decomposed(text).dropFirst())
    }
    #expect(known.isDisjoint(with: joining))
    #expect(known.count > 30_000)
  }

  /// Composed behind characters that are not known, so that the short way is not taken.
  private func composedAfterUnknown(_ text: String) -> [Unicode.Scalar] {
    let bytes = Normalization.composed("\u{212B}\u{200B}" + text)
    return Array(String(decoding: bytes, as: UTF8.self).unicodeScalars.dropFirst(2))
  }
}
