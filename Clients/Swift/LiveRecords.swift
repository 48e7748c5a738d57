import JSONRPC
public import Records

/// The records that a stream or pages of changes tell of, kept as they are now: what a program holds of them.
///
/// After a reset what is held stays until all that there is has come again; what has not come by then is gone.
/// So nobody looks at an empty table meanwhile, and the deletions that can't be told any more are found.
public struct LiveRecords: Sendable {
  /// What a record is found by.
  public struct Name: Hashable, Sendable {
    public let recordName: String
    public let zoneName: String

    public init(_ recordName: String, zoneName: String = "_defaultZone") {
      self.recordName = recordName
      self.zoneName = zoneName
    }
  }

  /// What an event did to the records that are held.
  public struct Update: Sendable {
    /// New, or other than before.
    public var changed: [StoredRecord] = []
    /// Deleted, no longer matching, or not there any more after a reset.
    public var gone: [Name] = []
  }

  public private(set) var records: [Name: StoredRecord] = [:]
  /// Those that were held at a reset and have not come again; nil when nothing is awaited.
  private var stale: Set<Name>?

  public init() {}

  /// - Parameter records: What is held already, as from a query or from before a restart of the program.
  public init(_ records: some Sequence<StoredRecord>) {
    for record in records { self.records[Self.name(of: record)] = record }
  }

  /// Applies an event of a stream with `sendsInitial`, or one that goes on from a query's token. Of a stream
  /// without `sendsInitial` a reset must be followed by ``replace(with:)``.
  public mutating func apply(_ event: ChangeEvent) -> Update {
    switch event {
    case .reset:
      stale = Set(records.keys)
      return Update()
    case .changes(let batch):
      var update = Update()
      apply(batch.changes, to: &update)
      if batch.isInitial, !batch.isContinued { removeStale(&update) }
      return update
    }
  }

  /// Applies a page of fetched changes.
  public mutating func apply(_ page: FetchedChanges) -> Update {
    if page.isReset { stale = Set(records.keys) }
    var update = Update()
    apply(page.changes, to: &update)
    if !page.isContinued { removeStale(&update) }
    return update
  }

  /// Takes what a query gave in place of everything that is held.
  public mutating func replace(with records: some Sequence<StoredRecord>) -> Update {
    stale = Set(self.records.keys)
    var update = Update()
    for record in records { keep(record, &update) }
    removeStale(&update)
    return update
  }

  private mutating func apply(_ changes: [RecordChange], to update: inout Update) {
    for change in changes {
      let name = Name(change.recordName, zoneName: change.zoneName)
      if change.reason == "deleted" || change.reason == "left" {
        if records.removeValue(forKey: name) != nil { update.gone.append(name) }
        stale?.remove(name)
      } else if let record = change.record {
        keep(StoredRecord(body: record), &update)
      }
    }
  }

  private mutating func keep(_ record: StoredRecord, _ update: inout Update) {
    let name = Self.name(of: record)
    stale?.remove(name)
    let old = records.updateValue(record, forKey: name)
    if old?.body.bytes != record.body.bytes { update.changed.append(record) }
  }

  private mutating func removeStale(_ update: inout Update) {
    for name in stale ?? [] where records.removeValue(forKey: name) != nil { update.gone.append(name) }
    stale = nil
  }

  private static func name(of record: StoredRecord) -> Name {
    Name(record.recordName, zoneName: record.zoneName)
  }
}
