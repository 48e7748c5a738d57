/// A subscription that a user's programs find again: what it asks for, and how far they have it.
public struct SavedSubscription: Sendable, Equatable {
  public var id: String
  /// A JSON object, kept as it is.
  public var definition: String
  /// The text of a ``ChangeToken``: everything up to there is known to the user's programs.
  public var position: String
  /// Whether a position was acknowledged since it was saved with this definition.
  public var isStarted: Bool

  public init(id: String, definition: String, position: String, isStarted: Bool) {
    self.id = id
    self.definition = definition
    self.position = position
    self.isStarted = isStarted
  }
}

/// A subscription of the caller's to be saved. What is there under the same id and asks for the same stays as it
/// is; otherwise it begins anew.
public struct SaveSubscriptionOperation: Sendable {
  public var id: String
  /// A JSON object. Two that differ in a byte ask for different things.
  public var definition: String
  /// Where it begins; nil for the store's position then.
  public var since: ChangeToken?

  public init(id: String, definition: String, since: ChangeToken?) {
    self.id = id
    self.definition = definition
    self.since = since
  }
}

/// A saved subscription of the caller's to be deleted.
public struct DeleteSubscriptionOperation: Sendable {
  public var id: String
  /// Whether a missing one is no error.
  public var ignoresMissing: Bool

  public init(id: String, ignoresMissing: Bool = false) {
    self.id = id
    self.ignoresMissing = ignoresMissing
  }
}

/// That the caller's programs know everything up to a position.
public struct AcknowledgeOperation: Sendable {
  public var id: String
  public var position: ChangeToken

  public init(id: String, position: ChangeToken) {
    self.id = id
    self.position = position
  }
}
