import Testing

@testable import Records

struct SectionIndexTitleTests {
  @Test(
    "the first letter is what a reader sees as one, upper-cased",
    arguments: [
      ("apple", "A"), ("émile", "É"), ("e\u{301}mile", "É"), ("ßtraße", "S"), ("ǆep", "Ǆ"), ("ﬁn", "F"),
      ("👩‍👩‍👧 x", "👩‍👩‍👧"), ("🇩🇪🇫🇷", "🇩🇪"), ("👩🏽‍🚀", "👩🏽‍🚀"), ("q\u{323}\u{307}x", "Q\u{323}\u{307}"),
      ("\u{301}a", "\u{301}"), ("\u{1112}\u{1161}\u{11AB}", "한"), ("ǰa", "J\u{30C}"), ("ก็", "ก็"),
      ("日本", "日"), ("1st", "1"), ("", ""), (" x", " "), ("\tx", "\t"), ("\r\nx", "\r\n"), ("ij", "I"),
    ])
  func firstLetter(pair: (String, String)) {
    #expect(SectionIndexTitle.firstLetter.title(forSection: pair.0).hasSameUTF8(as: pair.1))
  }

  @Test(
    "in a localized order the first letter has no marks, as its neighbours have none",
    arguments: [
      ("Åland", "A"), ("e\u{301}mile", "E"), ("日本", "日"), ("ガ", "ガ"), ("", ""), ("\u{301}a", "\u{301}"),
      ("ßa", "S"), ("Éa", "E"), (" É", " "),
    ])
  func localizedFirstLetter(pair: (String, String)) {
    let title = SectionIndexTitle.firstLetter.title(forSection: pair.0, collation: .localized)
    #expect(title.hasSameUTF8(as: pair.1))
  }

  @Test("the whole name, as it is or upper-cased")
  func whole() {
    #expect(SectionIndexTitle.whole.title(forSection: "Straße") == "Straße")
    #expect(SectionIndexTitle.wholeUppercased.title(forSection: "Straße") == "STRASSE")
  }
}
