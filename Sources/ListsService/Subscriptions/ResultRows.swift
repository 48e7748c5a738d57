internal import JSONRPC
internal import RecordStore
internal import Records

/// A record in a live result: what must be known of it to tell what a change does to it.
final class ResultRow {
  let place: ResultPlace
  let recordType: String
  let tag: String
  /// Bytes of the record.
  let byteCount: Int
  /// What stands for the records that it refers to as they were told with it; 0 where none are.
  var digestOfIncluded = 0

  init(_ record: StoredRecord, at place: ResultPlace) {
    self.place = place
    recordType = record.recordType
    tag = record.recordChangeTag
    byteCount = record.body.bytes.count
  }

  /// Whether it is the same record, as it is, in the same place.
  func isSame(as other: ResultRow) -> Bool {
    tag == other.tag && digestOfIncluded == other.digestOfIncluded && place.isSame(as: other.place)
  }
}

/// The rows of a result in their order, each also found by its record. What was done since the last ``keep()``
/// can be undone.
struct ResultRows {
  private(set) var list: [ResultRow] = []
  private(set) var byteCount = 0
  private var rows: [[UInt8]: ResultRow] = [:]
  private var edits: [Edit] = []

  private enum Edit {
    case inserted(ResultRow)
    case removed(ResultRow)
  }

  init() {}

  /// `list` must be in order.
  init(_ list: [ResultRow]) {
    self.list = list
    rows.reserveCapacity(list.count)
    for row in list {
      rows[row.place.identity] = row
      byteCount += row.byteCount
    }
  }

  var count: Int { list.count }

  func row(of identity: [UInt8]) -> ResultRow? { rows[identity] }

  /// Of the first row that is not before the place.
  private func index(of place: ResultPlace) -> Int {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle].place.isBefore(place) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Gives the index that the row, whose record is not among them, gets.
  mutating func insert(_ row: ResultRow) -> Int {
    edits.append(.inserted(row))
    return put(row)
  }

  /// Gives the index that the row, which must be among them, had.
  mutating func remove(_ row: ResultRow) -> Int {
    edits.append(.removed(row))
    return take(row)
  }

  /// Leaves out all rows behind the first ones, so many of them.
  mutating func cut(to count: Int) {
    while list.count > count, let last = list.last { _ = remove(last) }
  }

  private mutating func put(_ row: ResultRow) -> Int {
    let index = index(of: row.place)
    list.insert(row, at: index)
    rows[row.place.identity] = row
    byteCount += row.byteCount
    return index
  }

  private mutating func take(_ row: ResultRow) -> Int {
    let index = index(of: row.place)
    list.remove(at: index)
    rows[row.place.identity] = nil
    byteCount -= row.byteCount
    return index
  }

  /// From here on what was done can't be undone.
  mutating func keep() { edits.removeAll(keepingCapacity: edits.count < 100) }

  /// Makes it as it was at the last ``keep()``.
  mutating func undo() {
    while let edit = edits.popLast() {
      switch edit {
      case .inserted(let row): _ = take(row)
      case .removed(let row): _ = put(row)
      }
    }
  }
}
