internal import RecordStore
internal import Records

/// Who may do what. Every road to a record asks here: requests before they are carried out, live changes
/// before they are pushed.
public enum AccessPolicy: Sendable, Equatable {
  /// A user's own service: that user, and root.
  case owner(userID: UInt32)
  /// The machine's service: everyone, each with a private database of their own.
  case everyone

  /// What is about to be done with records.
  enum Action: Sendable {
    case read
    case write
  }

  /// Nil when the user may connect.
  func refusal(ofConnectionBy userID: UInt32) -> RecordError? {
    switch self {
    case .owner(let owner) where userID != owner && userID != 0:
      RecordError(.permissionFailure, "this service belongs to another user")
    case .owner, .everyone: nil
    }
  }

  /// What of a container the user may know; nil for nothing.
  func visible(_ container: ContainerDescription, to userID: UInt32) -> ContainerDescription? {
    if case .owner = self { return container }
    if userID == 0 { return container }
    var visible = container
    visible.databases.removeAll { $0.database != .public && $0.database != .private(userID) }
    return visible.databases.isEmpty ? nil : visible
  }

  /// Nil when the user may delete containers, with what all users have in them.
  func refusal(ofDeletingContainersBy userID: UInt32) -> RecordError? {
    switch self {
    case .everyone where userID != 0: RecordError(.permissionFailure, "only root may delete containers here")
    case .owner, .everyone: nil
    }
  }

  /// Nil when the caller may take a database away whole, with what other users keep in it, or put another in its
  /// place, were it what can be read of it.
  func refusal(ofBackupOf store: StoreID, by caller: Caller) -> RecordError? {
    switch (self, store.database) {
    case (.everyone, .public) where caller.userID != 0:
      RecordError(.permissionFailure, "only root may back up, restore or repair the public database here")
    default: refusal(of: .write, in: store, by: caller)
    }
  }

  /// Nil when the caller may do this. A private database is reached by its user only, because its name is
  /// made from the caller and never from what a client sent; checked here all the same.
  func refusal(of action: Action, in store: StoreID, by caller: Caller) -> RecordError? {
    switch store.database {
    case .private(let userID) where userID != caller.userID:
      RecordError(.permissionFailure, "this database belongs to another user")
    case .private, .public: nil
    }
  }
}
