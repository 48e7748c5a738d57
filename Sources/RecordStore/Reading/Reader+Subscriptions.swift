public import Records
internal import SQLite

extension Reader {
  /// The subscriptions that the user has saved, sorted by id (code points).
  public func savedSubscriptions(ofUser userID: UInt32) throws(RecordError) -> [SavedSubscription] {
    try read { (connection, _) throws(SQLiteError) in try connection.subscriptions(ofUser: userID) }
  }

  /// Nil when the user has saved none of that id.
  public func savedSubscription(_ id: String, ofUser userID: UInt32) throws(RecordError) -> SavedSubscription?
  {
    try read { (connection, _) throws(SQLiteError) in try connection.subscription(id, ofUser: userID) }
  }
}

extension Connection {
  /// Sorted by id.
  func subscriptions(ofUser userID: UInt32) throws(SQLiteError) -> [SavedSubscription] {
    var subscriptions: [SavedSubscription] = []
    let find = try statement(.subscriptionsOfUser)
    find.bind(Int64(userID), at: 1)
    while try find.step() { subscriptions.append(SavedSubscription(row: find)) }
    return subscriptions
  }

  /// Nil when there is none of that id.
  func subscription(_ id: String, ofUser userID: UInt32) throws(SQLiteError) -> SavedSubscription? {
    let find = try statement(.subscriptionOfUser)
    find.bind(Int64(userID), at: 1)
    find.bind(id, at: 2)
    return try find.first { SavedSubscription(row: $0) }
  }
}

extension SavedSubscription {
  fileprivate init(row: Statement) {
    self.init(id: row.text(0), definition: row.text(1), position: row.text(2), isStarted: row.int64(3) != 0)
  }
}
