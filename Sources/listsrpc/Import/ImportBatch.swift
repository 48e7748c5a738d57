import JSONRPC

/// A record on its way to the service.
struct ImportItem {
  let record: JSON
  /// `modifyRecords`' own.
  let operationType: String
  /// Where it stood in the file.
  let place: String
  /// The row, where a report is to have it.
  let row: JSON?

  /// What tells its record from others: zone and name. Nil where the service makes the name.
  var key: String? {
    guard let name = record["recordName"]?.stringValue else { return nil }
    return "\(record["zoneName"]?.stringValue ?? "")\u{0}\(name)"
  }
}

extension ImportItem {
  /// As it is kept while it is put off.
  func node(reason: String) -> JSONNode {
    var members: [(String, JSONNode)] = [
      ("place", .string(place)), ("reason", .string(reason)), ("operationType", .string(operationType)),
      ("record", .json(record)),
    ]
    // A row may stand on several lines; so encoded it stands on one.
    if let row { members.append(("row", JSONNode(row))) }
    return .object(members)
  }

  init?(_ json: JSON) {
    guard let place = json["place"]?.stringValue, let operationType = json["operationType"]?.stringValue,
      let record = json["record"]
    else { return nil }
    self.init(record: record, operationType: operationType, place: place, row: json["row"])
  }
}

/// A row that can't be saved, and why.
struct ImportRefusal {
  let place: String
  let reason: String
  let row: JSON?
}

/// What became of a record.
enum ImportOutcome {
  case saved
  case refused(String)
  /// It refers to a record that isn't there, and may come.
  case deferred(String)
}

/// Rows that are taken together.
struct ImportBatch {
  private(set) var items: [ImportItem] = []
  /// Rows between them that were not even sent.
  var refusals: [ImportRefusal] = []
  private(set) var bytes = 0
  /// How far the import is once they are done.
  var end = ImportPosition()

  var isEmpty: Bool { items.isEmpty && refusals.isEmpty }

  mutating func append(_ item: ImportItem) {
    items.append(item)
    bytes += item.record.bytes.count
  }

  /// The batch without those records that `reason` has a reason against.
  func refusing(_ reason: (ImportItem) -> String?) -> ImportBatch {
    var result = ImportBatch()
    result.end = end
    result.refusals = refusals
    for item in items {
      if let reason = reason(item) {
        result.refusals.append(.init(place: item.place, reason: reason, row: item.row))
      } else {
        result.append(item)
      }
    }
    return result
  }

  /// The batch from its end to its beginning, unless it has a record twice: then the order counts.
  var reversed: ImportBatch {
    let keys = items.compactMap(\.key)
    guard Set(keys).count == keys.count else { return self }
    var result = self
    result.items.reverse()
    return result
  }

  /// How many records, and bytes of them, go into one request.
  struct Limits {
    let maximumItems: Int
    let maximumBytes: Int

    /// - Parameter limits: `serverInfo`'s.
    init(_ limits: JSON?) {
      // Half a request's limit at most: the envelope needs some, and replies are of the same order.
      maximumItems = min(500, Int(limits?["maximumItems"]?.int64Value ?? 500))
      maximumBytes = min(1 << 20, Int(limits?["maximumMessageBytes"]?.int64Value ?? 1 << 21) / 2)
    }
  }

  /// The record would make the batch too large; an empty batch takes any.
  func isFull(before record: JSON, _ limits: Limits) -> Bool {
    refusals.count >= limits.maximumItems
      || (!items.isEmpty
        && (items.count >= limits.maximumItems || bytes + record.bytes.count > limits.maximumBytes))
  }
}
