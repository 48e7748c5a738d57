extension SortKey {
  /// The text that an ascending key by code point is of, in normalization form C; nil when it is of no text.
  public static func text(of key: [UInt8]) -> String? {
    guard key.first == Tag.text else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(key.count)
    var index = 1
    while index + 1 < key.count {
      if key[index] == 0 {
        // 00 FF stands for 00, and 00 01 for the end.
        guard key[index + 1] == 0xFF else { break }
        index += 1
        bytes.append(0)
      } else {
        bytes.append(key[index])
      }
      index += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
