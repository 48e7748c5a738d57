/// What lets a request be sent again without being done again: the first that succeeds leaves its answer under the
/// key, and the others get that.
public struct IdempotencyKey: Sendable {
  /// Chosen by the client; one of its user's in this database.
  public var text: String
  /// SHA-256 of what is asked for, by which a key that was used for something else is told.
  public var digest: [UInt8]
  /// The answer that is kept: JSON. Called on the store's thread. Nil when there is none to keep.
  public var answer: @Sendable (WriteResult) -> [UInt8]?

  public init(text: String, digest: [UInt8], answer: @escaping @Sendable (WriteResult) -> [UInt8]?) {
    self.text = text
    self.digest = digest
    self.answer = answer
  }
}
