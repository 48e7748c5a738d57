/// What a repair made of a store, or would make of it.
public struct RepairReport: Sendable {
  /// Something that a store keeps.
  public enum Part: String, Sendable, CaseIterable {
    case records, deletedRecords, zones, recordTypes, fields, indexes, subscriptions, idempotencyKeys, assets
  }

  /// What became of a part.
  public struct Remainder: Sendable, Equatable {
    public var kept = 0
    /// Nil when nobody can say how many there were. Told of records alone.
    public var lost: Int?
    /// Whether all of it could be read.
    public var isWhole = true
  }

  private var parts: [Part: Remainder] = [:]
  /// Names of records of which no more could be read: the first ``maximumListed``. Some may have been deleted.
  public internal(set) var lost: [String] = []
  /// What had to be dropped or made anew, for a person: the first ``maximumListed``.
  public internal(set) var notes: [String] = []
  /// What is found in the new store by looking it through.
  public internal(set) var remaining = StoreReport()
  /// What took the old store's place; nil when nothing did.
  public internal(set) var store: RestoredStore?

  public static let maximumListed = 100

  public var inOrder: [(Part, Remainder)] { Part.allCases.map { ($0, self[$0]) } }

  public internal(set) subscript(_ part: Part) -> Remainder {
    get { parts[part] ?? Remainder() }
    set { parts[part] = newValue }
  }

  mutating func note(_ text: String) {
    if notes.count < Self.maximumListed, !notes.contains(text) { notes.append(text) }
  }

  mutating func noteLost(_ recordName: String) {
    self[.records].lost = (self[.records].lost ?? 0) + 1
    if lost.count < Self.maximumListed { lost.append(recordName) }
  }
}
