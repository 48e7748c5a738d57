import Testing

@testable import Records

struct TextFoldingTests {
  @Test(
    "texts that differ in case alone fold to one",
    arguments: [
      ("STRASSE", "straße"), ("STRAẞE", "Strasse"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ЧЕРВОНИЙ", "червоний"),
      ("ǅ", "ǆ"), ("ﬁ", "FI"), ("ŉ", "ʼN"), ("K", "k"), ("Å", "\u{212B}"), ("ᾳ", "ΑΙ"), ("Ꭰ", "ꭰ"),
      ("Ა", "ა"),
      ("İ", "i\u{307}"), ("É", "e\u{301}"),
    ])
  func caseFolding(pair: (String, String)) {
    let folding = TextFolding.caseInsensitive
    #expect(folding.fold(pair.0).hasSameUTF8(as: folding.fold(pair.1)))
  }

  @Test(
    "letters that only look related stay apart", arguments: [("ı", "I"), ("é", "e"), ("ø", "o"), ("ß", "s")])
  func caseDistinctions(pair: (String, String)) {
    let folding = TextFolding.caseInsensitive
    #expect(!folding.fold(pair.0).hasSameUTF8(as: folding.fold(pair.1)))
  }

  @Test(
    "marks go, and what is part of a letter stays",
    arguments: [
      ("Café", "Cafe"), ("Cafe\u{301}", "Cafe"), ("ộ", "o"), ("й", "и"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"),
      ("が", "が"), ("हिन्दी", "हिन्दी"), ("ñandú", "nandu"), ("ø", "ø"), ("한글", "한글"), ("👩‍👩‍👧", "👩‍👩‍👧"),
    ])
  func marks(pair: (String, String)) {
    #expect(TextFolding.diacriticInsensitive.fold(pair.0).hasSameUTF8(as: pair.1))
  }

  @Test("folding what is folded changes nothing", arguments: SampleValues.texts)
  func idempotence(text: String) {
    for folding in [[], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]]
      as [TextFolding]
    {
      let folded = folding.fold(text)
      #expect(folding.fold(folded).hasSameUTF8(as: folded))
    }
  }
}
