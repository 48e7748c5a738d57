import Testing

@testable import Records

struct IdentifierTests {
  @Test(
    "names that a client may make",
    arguments: [
      "a", "milk", "é", "日本語", "with space", "a.b", "x_y$", "👩‍👩‍👧", String(repeating: "a", count: 255),
    ])
  func allowed(name: String) throws {
    for kind in Identifier.Kind.allCases { try Identifier.validate(name, as: kind) }
  }

  @Test(
    "names that a client may not make",
    arguments: ["", "_a", "$a", "a\nb", "a\u{0}", "\u{7F}", "\u{85}", String(repeating: "é", count: 128)])
  func refused(name: String) {
    for kind in Identifier.Kind.allCases {
      #expect(throws: RecordError.self) { try Identifier.validate(name, as: kind) }
    }
  }

  @Test("the default zone may be named, and no field as a system key")
  func exceptions() throws {
    try Identifier.validate("_defaultZone", as: .zoneName)
    #expect(throws: RecordError.self) { try Identifier.validate("_otherZone", as: .zoneName) }
    #expect(throws: RecordError.self) { try Identifier.validate("_defaultZone", as: .recordName) }
    for key in SystemKey.allCases {
      #expect(throws: RecordError.self) { try Identifier.validate(key.rawValue, as: .field) }
      try Identifier.validate(key.rawValue, as: .recordName)
    }
    try Identifier.check("_1000", as: .recordName)
  }
}
