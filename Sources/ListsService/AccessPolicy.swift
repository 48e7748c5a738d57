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
