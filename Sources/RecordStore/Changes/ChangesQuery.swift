/// What changed, or everything there is, in pages for who asks instead of being told.
public struct ChangesQuery: Sendable {
  /// Where the page before ended, or a position; nil for everything there is, as if just created.
  public var since: ChangesCursor?
  /// Nil for all zones.
  public var zoneName: String?
  /// Nil for records of all types.
  public var recordType: String?
  /// Changes of a page at most, about: what one record went through is not divided.
  public var resultsLimit: Int
  /// Bytes of a page's records, likewise.
  public var maximumBytes: Int

  public init(
    since: ChangesCursor?, zoneName: String? = nil, recordType: String? = nil, resultsLimit: Int = 100,
    maximumBytes: Int = 8 << 20
  ) {
    self.since = since
    self.zoneName = zoneName
    self.recordType = recordType
    self.resultsLimit = resultsLimit
    self.maximumBytes = maximumBytes
  }
}

/// A page of changes.
public struct ChangesResult: Sendable {
  /// May be none though more is coming: a page looks at a bounded number of rows.
  public var changes: [RecordChange]
  /// The zones that were deleted and are not there any more, by name.
  public var deletedZones: [String]
  /// Where the next page starts, now or at any time later.
  public var cursor: ChangesCursor
  public var moreComing: Bool
}

/// Where a page of changes ended, as opaque text. A plain position is the text of its ``ChangeToken``.
public struct ChangesCursor: Sendable, Hashable {
  /// What is known: everything up to this position, and what lies before `place`.
  let token: ChangeToken
  let place: Place

  enum Place: Hashable {
    /// No farther than the position.
    case position
    /// Within a commit of the replay that the token is of: up to this version.
    case version(Version)
    /// Of the records that there were at the position, those up to this row.
    case row(Int64)
  }

  init(_ token: ChangeToken, _ place: Place = .position) {
    self.token = token
    self.place = place
  }

  public init(_ token: ChangeToken) { self.init(token, .position) }

  /// Nil when the text can't be a place in any store.
  public init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let token = parts.last.flatMap({ ChangeToken(text: String($0)) }) else { return nil }
    switch parts.count {
    case 1: self.init(token, .position)
    case 3:
      guard let number = Int64(parts[1], radix: 36), number >= 0 else { return nil }
      if parts[0] == "r", token.replay == nil {
        self.init(token, .row(number))
      } else if parts[0] == "v", let replay = token.replay {
        let version = Version(rawValue: number)
        guard version.commit > token.sequence, version.commit <= replay.end else { return nil }
        self.init(token, .version(version))
      } else {
        return nil
      }
    default: return nil
    }
    guard self.text == text else { return nil }
  }

  public var text: String {
    switch place {
    case .position: token.text
    case .version(let version): "v." + String(version.rawValue, radix: 36) + "." + token.text
    case .row(let row): "r." + String(row, radix: 36) + "." + token.text
    }
  }

  /// The position that it is; nil when it lies between two, and only ``Reader`` can go on from it.
  public var changeToken: ChangeToken? { place == .position ? token : nil }
}
