import CLinux
import Glibc

extension Span where Element == UInt8 {
  func hasPrefix(_ prefix: Span<UInt8>) -> Bool {
    count >= prefix.count && extracting(first: prefix.count).isEqual(to: prefix)
  }

  func hasSuffix(_ suffix: Span<UInt8>) -> Bool {
    count >= suffix.count && extracting(last: suffix.count).isEqual(to: suffix)
  }

  func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { bytes in
      other.withUnsafeBytes { other in
        guard let bytes = bytes.baseAddress, let others = other.baseAddress else { return true }
        return memcmp(bytes, others, other.count) == 0
      }
    }
  }

  /// The offset where `sought` first begins, not before `start`; nil when it is nowhere. Its time grows with
  /// the length of this, whatever is sought.
  func firstOffset(of sought: Span<UInt8>, from start: Int = 0) -> Int? {
    guard sought.count <= count - start else { return nil }
    guard sought.count > 0 else { return start }
    return withUnsafeBytes { bytes in
      sought.withUnsafeBytes { sought in
        guard let base = bytes.baseAddress,
          let found = clinux_find(base + start, bytes.count - start, sought.baseAddress, sought.count)
        else { return nil }
        return found - base
      }
    }
  }
}
