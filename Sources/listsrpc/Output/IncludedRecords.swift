import JSONRPC
import Records

/// The records that came along with a page, found by the references that lead to them.
struct IncludedRecords: RecordResolver {
  private let paths: [(text: String, path: FieldPath)]
  private var found: [Key: StoredRecord] = [:]
  /// Those that there are, in the order of the reply.
  private(set) var records: [JSON] = []

  private struct Key: Hashable {
    let recordName: String
    let zoneName: String
  }

  /// - Parameters:
  ///   - included: The page's `included`.
  ///   - paths: The key paths that were asked for.
  init(_ included: JSON?, paths: [String]) {
    self.paths = paths.compactMap { text in FieldPath(text).map { (text, $0) } }
    for entry in included.map({ Array($0.elements) }) ?? [] {
      guard let name = entry["recordName"]?.stringValue, let zone = entry["zoneName"]?.stringValue,
        let record = entry["record"], !record.isNull
      else { continue }
      found[Key(recordName: name, zoneName: zone)] = StoredRecord(body: record)
      records.append(record)
    }
  }

  /// None was asked for.
  var isEmpty: Bool { paths.isEmpty }

  func record(named recordName: String, inZone zoneName: String) -> StoredRecord? {
    found[Key(recordName: recordName, zoneName: zoneName)]
  }

  /// The record with a member `included` at its end: what each path leads to; null where that is nothing.
  func extended(_ record: JSON) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for member in record.members {
      writer.key(member.key)
      writer.raw(member.value)
    }
    writer.key("included")
    writer.beginObject()
    let stored = StoredRecord(body: record)
    for (text, path) in paths {
      writer.key(text)
      write(stored.value(at: path, resolver: self), of: stored, to: &writer)
    }
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  private func write(_ value: FieldValue?, of record: StoredRecord, to writer: inout JSONWriter) {
    switch value {
    case .reference(let reference):
      let zone = reference.zoneName ?? record.zoneName
      guard let target = self.record(named: reference.recordName, inZone: zone) else { return writer.null() }
      writer.raw(target.body)
    case .list(let elements):
      writer.beginArray()
      for element in elements { write(element, of: record, to: &writer) }
      writer.endArray()
    default: writer.null()
    }
  }
}
