internal import CGcrypt
internal import Glibc

/// The checksum of a file or of bytes, by FIPS 180-4's SHA-256.
public struct SHA256: ~Copyable {
  /// Bytes of a checksum; its text has twice as many digits.
  public static let byteCount = 32

  private var handle: gcry_md_hd_t?

  private static let isReady: Bool = {
    cgcrypt_finish_initialization()
    return true
  }()

  public init() {
    _ = Self.isReady
    // Fails for want of memory only.
    precondition(gcry_md_open(&handle, Int32(GCRY_MD_SHA256.rawValue), 0) == 0, "no memory for a checksum")
  }

  deinit { gcry_md_close(handle) }

  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    gcry_md_write(handle, bytes.baseAddress, bytes.count)
  }

  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { gcry_md_write(handle, $0.baseAddress, $0.count) }
  }

  /// The 32 bytes of everything up to now.
  public consuming func finish() -> [UInt8] {
    guard let digest = gcry_md_read(handle, Int32(GCRY_MD_SHA256.rawValue)) else { return [] }
    return Array(UnsafeBufferPointer(start: digest, count: Self.byteCount))
  }

  /// The checksum of bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// As text: 64 hexadecimal digits in lower case.
  public static func text(of digest: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * digest.count)
    for byte in digest {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether text is the text of a checksum.
  public static func isText(_ text: String) -> Bool {
    text.utf8.count == 2 * byteCount
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
