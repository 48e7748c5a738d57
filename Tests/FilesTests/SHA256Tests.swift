import Files
import Testing

struct SHA256Tests {
  @Test(
    "Checksums are those of FIPS 180-4's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func examples(text: String, checksum: String) {
    #expect(SHA256.text(of: SHA256.digest(of: Array(text.utf8))) == checksum)
  }

  @Test("In parts, wherever it is cut, it is the same")
  func parts() {
    let bytes = (0..<200).map { UInt8($0) }
    let whole = SHA256.digest(of: bytes)
    for cut in 0...bytes.count {
      var hash = SHA256()
      hash.update(Array(bytes[..<cut]))
      hash.update(Array(bytes[cut...]))
      #expect(hash.finish() == whole)
    }
  }

  @Test("Only 64 digits in lower case are a checksum's text")
  func texts() {
    let text = String(repeating: "0af", count: 21) + "1"
    #expect(SHA256.isText(text))
    for wrong in [
      text + "0", String(text.dropLast()), String(text.dropLast()) + "A", "../" + text.dropFirst(3), "",
    ] {
      #expect(!SHA256.isText(wrong))
    }
  }
}
