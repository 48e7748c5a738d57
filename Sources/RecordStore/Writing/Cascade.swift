internal import Records

/// What a deletion does to the records that refer to what it deletes, over any number of references: worked out
/// before anything is written.
struct Cascade {
  /// A record to be deleted, and the one among those before it whose deletion leads to it.
  struct Deletion {
    let id: Int64
    let place: RecordPlace
    let cause: Int?
  }

  /// A record from which references are taken out: those to `targets`, by their places among the deletions.
  struct Update {
    let id: Int64
    var targets: [Int]
  }

  /// A record that must not be there any more when the target is gone.
  struct Holder {
    let id: Int64
    let target: RecordPlace
  }

  /// Those asked for, then breadth first.
  private(set) var deletions: [Deletion] = []
  private(set) var updates: [Update] = []
  private(set) var holders: [Holder] = []
  private var deleted: Set<Int64> = []
  private var updated: [Int64: Int] = [:]

  /// How many changes it makes.
  var count: Int { deletions.count + updates.count }

  /// Takes a record in that is to be deleted; one that is in it already stays as it is.
  mutating func delete(_ id: Int64, _ place: RecordPlace, because cause: Int? = nil) {
    guard deleted.insert(id).inserted else { return }
    deletions.append(Deletion(id: id, place: place, cause: cause))
  }

  func deletes(_ id: Int64) -> Bool { deleted.contains(id) }

  /// Notes that the record refers to the one to be deleted at that place.
  mutating func note(_ action: Reference.Action, ofRecord id: Int64, _ place: RecordPlace, on target: Int) {
    switch action {
    case .none: break
    case .deleteSelf: delete(id, place, because: target)
    case .setNull:
      if let index = updated[id] {
        updates[index].targets.append(target)
      } else {
        updated[id] = updates.count
        updates.append(Update(id: id, targets: [target]))
      }
    case .restrict, .validate: holders.append(Holder(id: id, target: deletions[target].place))
    }
  }

  /// To be called once all that refers was noted: what is deleted itself is neither changed nor in the way.
  mutating func settle() {
    updates.removeAll { deleted.contains($0.id) }
    holders.removeAll { deleted.contains($0.id) }
  }

  /// What the deletions leave of a record that references are taken out of.
  func body(of record: StoredRecord, after update: Update) -> RecordBody {
    let targets = Set(update.targets.map { deletions[$0].place })
    var body = RecordBody(record)
    body.removeReferences { $0.action == .setNull && targets.contains($0.target) }
    return body
  }

  /// What leads to a change.
  struct Cause {
    let id: Int64
    let place: RecordPlace
  }

  func cause(of deletion: Deletion) -> Cause? { deletion.cause.map(cause(at:)) }

  /// Several references may have gone from one record: the first of them says why.
  func cause(of update: Update) -> Cause { cause(at: update.targets[0]) }

  private func cause(at index: Int) -> Cause {
    Cause(id: deletions[index].id, place: deletions[index].place)
  }
}

extension StoredRecord {
  /// What becomes of the record when the one at that place is deleted: of several references to it the strongest
  /// decides.
  func action(onDeletionOf target: RecordPlace) -> Reference.Action {
    var strongest = Reference.Action.none
    for reference in references
    where reference.target == target && reference.action.strength > strongest.strength {
      strongest = reference.action
    }
    return strongest
  }
}

extension Reference.Action {
  fileprivate var strength: Int {
    switch self {
    case .none: 0
    case .setNull: 1
    case .deleteSelf: 2
    case .restrict, .validate: 3
    }
  }

  /// Whether the target can't be deleted.
  var holds: Bool { self == .restrict || self == .validate }
}
