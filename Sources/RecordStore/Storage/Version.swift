/// One version of one record: the commit that made it, and the operation's place in the commit.
///
/// Grows with every change of the store, so it orders all changes, and no two versions share one.
struct Version: Sendable, Hashable, Comparable {
  /// Operations of one commit at most; leaves room for 2⁴³ commits.
  static let maximumOrdinal: Int64 = 1 << 20 - 1

  /// As it is stored: commit × 2²⁰ + ordinal.
  let rawValue: Int64

  init(rawValue: Int64) { self.rawValue = rawValue }

  init(commit: Int64, ordinal: Int64) {
    rawValue = commit << 20 | ordinal
  }

  /// The last version that a commit can have made.
  static func last(ofCommit commit: Int64) -> Version { Version(commit: commit, ordinal: maximumOrdinal) }

  var commit: Int64 { rawValue >> 20 }
  var ordinal: Int64 { rawValue & Self.maximumOrdinal }

  static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
}

/// The text that names a version to clients.
///
/// Besides the version it has 20 bits of the random number of the run that made it, so that it never names a
/// version that was made after a backup was put back.
enum RecordTag {
  static func text(of version: Version, epoch: UInt32) -> String {
    var text = String(version.commit, radix: 36)
    if version.ordinal > 0 { text += "." + String(version.ordinal, radix: 36) }
    return text + "-" + String(epoch & 0xF_FFFF, radix: 36)
  }

  /// The version that a tag speaks of; nil when it can't be one. Whether the tag is that version's is for the
  /// stored record to say.
  static func version(in tag: String) -> Version? {
    guard let end = tag.firstIndex(of: "-") else { return nil }
    let parts = tag[..<end].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let commit = Int64(parts[0], radix: 36),
      (0..<Int64.max >> 20).contains(commit)
    else { return nil }
    guard parts.count == 2 else { return Version(commit: commit, ordinal: 0) }
    guard let ordinal = Int64(parts[1], radix: 36), (1...Version.maximumOrdinal).contains(ordinal) else {
      return nil
    }
    return Version(commit: commit, ordinal: ordinal)
  }
}
