public import Records

/// Which deleted records to list: those whose deletion is kept in the log, the latest first.
public struct DeletedRecordsQuery: Sendable {
  /// Nil for records of all types.
  public var recordType: String?
  /// Nil for all zones, those that are gone included.
  public var zoneName: String?
  /// Records of a page at most.
  public var resultsLimit: Int
  /// Bytes of a page's records, about.
  public var maximumBytes: Int
  /// Where the page before ended.
  public var cursor: HistoryCursor?

  public init(
    recordType: String? = nil, zoneName: String? = nil, resultsLimit: Int = 100,
    maximumBytes: Int = 8 << 20, cursor: HistoryCursor? = nil
  ) {
    self.recordType = recordType
    self.zoneName = zoneName
    self.resultsLimit = resultsLimit
    self.maximumBytes = maximumBytes
    self.cursor = cursor
  }
}

/// A record that is gone.
public struct DeletedRecord: Sendable {
  /// As it was.
  public var record: StoredRecord
  public var deleted: Stamp
  /// The record whose deletion led to this one; nil when it was asked for.
  public var cause: RecordPlace?
}

/// A page of deleted records.
public struct DeletedRecordsResult: Sendable {
  /// May be none though there is a cursor: a page looks at a bounded number of rows.
  public var records: [DeletedRecord]
  /// Nil on the last page.
  public var cursor: HistoryCursor?
}

/// Which record's versions to list, the newest first.
public struct HistoryQuery: Sendable {
  public var recordName: String
  public var zoneName: String
  /// Versions of a page at most.
  public var resultsLimit: Int
  /// Bytes of a page's records, about.
  public var maximumBytes: Int
  /// Where the page before ended.
  public var cursor: HistoryCursor?

  public init(
    recordName: String, zoneName: String = Identifier.defaultZone, resultsLimit: Int = 100,
    maximumBytes: Int = 8 << 20, cursor: HistoryCursor? = nil
  ) {
    self.recordName = recordName
    self.zoneName = zoneName
    self.resultsLimit = resultsLimit
    self.maximumBytes = maximumBytes
    self.cursor = cursor
  }
}

/// What a record was, and what made it so.
public struct RecordVersion: Sendable {
  public enum Reason: String, Sendable {
    case created, updated, deleted
  }

  public var reason: Reason
  /// Nil of a deletion.
  public var record: StoredRecord?
  /// The fields that differ from the version before; nil where that is no longer kept, and where there was no record
  /// before or is none now.
  public var changedKeys: [String]?
  public var modified: Stamp
  /// The record whose deletion led to it; nil when it was asked for.
  public var cause: RecordPlace?
}

/// A page of versions.
public struct HistoryResult: Sendable {
  public var versions: [RecordVersion]
  /// Nil on the last page.
  public var cursor: HistoryCursor?
  /// Whether the last of them is the first that there was under that name, as far as anybody knows.
  public var isComplete: Bool
}

/// Where a page of deleted records or of versions ended, as opaque text.
public struct HistoryCursor: Sendable, Hashable {
  /// The version that was told, or looked at, last.
  let version: Version

  init(_ version: Version) { self.version = version }

  /// Nil when the text can't be a place in any store.
  public init?(text: String) {
    guard text.hasPrefix("h."), let number = Int64(text.dropFirst(2), radix: 36), number >= 0 else {
      return nil
    }
    self.init(Version(rawValue: number))
    guard self.text == text else { return nil }
  }

  public var text: String { "h." + String(version.rawValue, radix: 36) }
}
