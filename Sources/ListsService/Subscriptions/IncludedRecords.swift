internal import JSONRPC
internal import RecordStore
internal import Records

/// Records that others refer to, each once, as the JSON list `included`.
struct IncludedRecords {
  private var writer = JSONWriter()
  private var known: Set<[UInt8]> = []

  init() { writer.beginArray() }

  /// Of what was appended so far.
  var byteCount: Int { writer.bytes.count }

  mutating func append(_ item: IncludedRecord) {
    let place = Array("\(item.recordName)\0\(item.zoneName)".utf8)
    guard known.insert(place).inserted else { return }
    writer.beginObject()
    writer.key("recordName")
    writer.string(item.recordName)
    writer.key("zoneName")
    writer.string(item.zoneName)
    writer.key("record")
    if let record = item.record { writer.raw(record.body) } else { writer.null() }
    writer.endObject()
  }

  /// The whole list; nothing is to be appended after it.
  mutating func list() -> [UInt8] {
    writer.endArray()
    return writer.bytes
  }
}

extension StoredRecord {
  /// What the record refers to at key paths, as `resolver` finds it.
  func referencedRecords(at paths: [FieldPath], _ resolver: any RecordResolver) -> [IncludedRecord] {
    var found: [IncludedRecord] = []
    for path in paths {
      for reference in value(at: path, resolver: resolver)?.references ?? [] {
        let zone = reference.zoneName ?? zoneName
        found.append(
          IncludedRecord(
            recordName: reference.recordName, zoneName: zone,
            record: resolver.record(named: reference.recordName, inZone: zone)))
      }
    }
    return found
  }
}

extension FieldValue {
  /// The references that it is, or has as a list.
  fileprivate var references: [Reference] {
    switch self {
    case .reference(let reference): [reference]
    case .list(let elements): elements.flatMap(\.references)
    default: []
    }
  }
}
