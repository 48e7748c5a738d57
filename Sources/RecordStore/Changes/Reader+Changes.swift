public import Records
internal import SQLite

extension Reader {
  /// What changed between a token's position and the snapshot: each record once, as it was at the one and as
  /// it is at the other. In pages; the page's token is where the next one goes on, now or at any time later.
  ///
  /// - Parameter limit: changes of a page, about: the changes of one commit are not divided.
  /// - Throws: `changeTokenExpired` with a fresh token in its details (`changeToken`) and the `reason`, when the
  ///   token is of another store, of a restored copy's other future, or older than the kept changes.
  public func changes(after token: ChangeToken, limit: Int) throws(RecordError) -> ChangesPage {
    throw .storeUnreachable
  }
}
