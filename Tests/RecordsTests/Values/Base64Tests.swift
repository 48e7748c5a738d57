import Testing

@testable import Records

struct Base64Tests {
  @Test(
    "the vectors of RFC 4648, section 10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(pair: (String, String)) {
    #expect(Base64.encode(Array(pair.0.utf8)) == pair.1)
    #expect(Base64.decode(pair.1) == Array(pair.0.utf8))
  }

  @Test("all bytes come back")
  func roundTrip() {
    let bytes = (UInt8.min...UInt8.max).map { $0 }
    for count in 0...bytes.count {
      #expect(Base64.decode(Base64.encode(Array(bytes[..<count]))) == Array(bytes[..<count]))
    }
  }

  @Test(
    "anything but the one spelling is refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zg===", "Zm8", "Zh==", "Zm9=", "Zm9v\n", " Zm9v", "Zm9_", "Zm-v", "====", "Z===",
      "Zg==Zg==",
      "Zm=v", "é===",
    ])
  func refusal(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
