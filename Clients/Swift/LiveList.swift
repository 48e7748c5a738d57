public import Records

/// The rows of a window, as a program shows them: what the events of its stream make of an array.
///
/// Each change is applied behind the one before it, so the steps that ``apply(_:)`` gives can be handed to a
/// table on the screen one after another.
public struct LiveList: Sendable {
  /// A record in its place.
  public struct Row: Sendable {
    public let record: StoredRecord
    /// Nil without sections.
    public let section: ChangeSection?
  }

  /// What one change does to the rows: first taken away at `from`, then put in at `to`. With both it is one row
  /// that changed, and moved where they differ.
  public struct Step: Sendable, Equatable {
    public let from: Int?
    public let to: Int?

    public init(from: Int?, to: Int?) {
      self.from = from
      self.to = to
    }
  }

  /// A change that does not fit the rows: an event was left out, or is of another stream.
  public struct Mismatch: Error, Sendable, Equatable {
    public let recordName: String
  }

  public private(set) var rows: [Row] = []
  /// All rows of the beginning are there; until then they are still coming.
  public private(set) var isComplete = false

  public init() {}

  public var records: [StoredRecord] { rows.map(\.record) }

  /// The runs of rows that stand in one section, in order.
  public var sections: [(section: ChangeSection, rows: Range<Int>)] {
    var runs: [(section: ChangeSection, rows: Range<Int>)] = []
    for (index, row) in rows.enumerated() {
      guard let section = row.section else { continue }
      if let last = runs.last, last.section == section {
        runs[runs.count - 1].rows = last.rows.lowerBound..<index + 1
      } else {
        runs.append((section, index..<index + 1))
      }
    }
    return runs
  }

  /// Applies an event.
  ///
  /// - Returns: The steps in order. A reset empties the list, which is no step.
  /// - Throws: `Mismatch` for a change that does not fit; subscribe again into an empty list then.
  @discardableResult
  public mutating func apply(_ event: ChangeEvent) throws(Mismatch) -> [Step] {
    switch event {
    case .reset:
      self = LiveList()
      return []
    case .changes(let batch):
      var steps: [Step] = []
      for change in batch.changes { steps.append(try apply(change)) }
      if batch.isInitial { isComplete = !batch.isContinued }
      return steps
    }
  }

  private mutating func apply(_ change: RecordChange) throws(Mismatch) -> Step {
    let step = Step(from: change.from, to: change.to)
    if let from = step.from {
      guard rows.indices.contains(from), rows[from].record.recordName == change.recordName,
        rows[from].record.zoneName == change.zoneName
      else { throw Mismatch(recordName: change.recordName) }
      rows.remove(at: from)
    }
    if let to = step.to {
      guard let record = change.record, (0...rows.count).contains(to) else {
        throw Mismatch(recordName: change.recordName)
      }
      rows.insert(Row(record: StoredRecord(body: record), section: change.section), at: to)
    }
    guard step.from != nil || step.to != nil else { throw Mismatch(recordName: change.recordName) }
    return step
  }
}
