/// What was found by looking a store's file through.
public struct StoreReport: Sendable, Equatable {
  /// Something that can't be as it is.
  public struct Problem: Sendable, Equatable {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
      /// The file itself: pages, tables, the order of rows.
      case file
      /// A record that can't be read, or is not what its row says.
      case record
      /// A count that is kept and is not right.
      case count
      /// An index that does not have what records have, or has more.
      case index
      /// What refers to what.
      case reference
      /// What records must keep to.
      case rule
      case zone
      /// The log of changes, and what it keeps of former versions and deleted records.
      case changeLog
      case subscription
      case idempotencyKey
      /// Which records have which assets.
      case assetUse
      /// The files beside the store.
      case asset
    }

    public var kind: Kind
    /// For a person; never has a path or an engine's word.
    public var message: String
    public var recordName: String?
    public var zoneName: String?

    init(_ kind: Kind, _ message: String, recordName: String? = nil, zoneName: String? = nil) {
      self.kind = kind
      self.message = message
      self.recordName = recordName
      self.zoneName = zoneName
    }
  }

  /// The first ``maximumProblems``.
  public internal(set) var problems: [Problem] = []
  /// All, those that are not listed too, by kind.
  private(set) var counts: [Problem.Kind: Int] = [:]
  public internal(set) var records = 0
  public internal(set) var changes = 0
  public internal(set) var assets = 0

  public static let maximumProblems = 100

  /// All, those that are not listed too.
  public var problemCount: Int { counts.values.reduce(0, +) }

  mutating func note(_ problem: Problem) {
    counts[problem.kind, default: 0] += 1
    if problems.count < Self.maximumProblems { problems.append(problem) }
  }
}
