/// A file kept beside the records: the field says which, not what is in it.
public struct Asset: Sendable, Equatable {
  public var checksum: String
  /// Bytes.
  public var size: Int64

  public init(checksum: String, size: Int64) {
    self.checksum = checksum
    self.size = size
  }
}
