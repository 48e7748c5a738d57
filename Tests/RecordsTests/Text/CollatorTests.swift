import JSONRPC
import Testing

@testable import Records

struct CollatorTests {
  private static let isInstalled = (try? Collator.shared()) != nil

  @Test(
    "names are ordered as a person expects", .enabled(if: isInstalled, "the ICU library is not installed"))
  func order() throws {
    let names = [
      "Afghanistan", "Åland Islands", "Albania", "Andorra", "Costa Rica", "Côte d'Ivoire", "Croatia", "Cuba",
      "Timor-Leste", "Türkiye", "Tuvalu", "Zambia",
    ]
    let collator = try Collator.shared()
    var shuffled = names
    var generator = SplitMix64(seed: 7)
    shuffled.shuffle(using: &generator)
    #expect(shuffled.sorted { collator.sortKey($0).lexicographicallyPrecedes(collator.sortKey($1)) } == names)
  }

  @Test("localized keys go with the others", .enabled(if: isInstalled, "the ICU library is not installed"))
  func keys() throws {
    let path = try #require(FieldPath("f"))
    for ascending in [true, false] {
      let descriptor = SortDescriptor(path, ascending: ascending, collation: .localized)
      var keys: [[UInt8]] = []
      for value in [
        nil, .boolean(true), .int64(3), .string("ähnlich"), .string("Zebra"), .list([.string("a")]),
      ]
        as [FieldValue?]
      {
        var key: [UInt8] = []
        try SortKey.append(value, descriptor, to: &key)
        keys.append(key)
      }
      let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(sorted == (ascending ? keys : keys.reversed()))
    }
  }

  @Test(
    "a key has no zero byte, long texts have keys",
    .enabled(if: isInstalled, "the ICU library is not installed"))
  func longText() throws {
    let collator = try Collator.shared()
    let key = collator.sortKey(String(repeating: "日本語テキスト\u{0}", count: 5000))
    #expect(key.count > 5000)
    #expect(!key.contains(0))
    #expect(collator.sortKey("").allSatisfy { $0 != 0 })
    #expect(collator.version.hasPrefix("ICU "))
  }
}
