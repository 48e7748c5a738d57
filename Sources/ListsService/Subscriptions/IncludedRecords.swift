internal import JSONRPC
internal import RecordStore
internal import Records

/// Records that others refer to, each once, as the JSON list `included`.
struct IncludedRecords {
  private var writer = JSONWriter()
  private var known: Set<[UInt8]> = []

  init() { writer.beginArray() }

  /// Of what was appended so far, about, once these are too.
  func byteCount(with others: [IncludedRecord]) -> Int {
    writer.bytes.count + others.reduce(0) { $0 + (known.contains($1.place) ? 0 : $1.byteCount) }
  }

  mutating func append(_ item: IncludedRecord) {
    guard known.insert(item.place).inserted else { return }
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

/// How much a record may bring along.
struct InclusionLimit {
  let records: Int
  /// Of the record and of what comes with it.
  let bytes: Int

  /// As much as a page of a query.
  init(_ limits: ServiceLimits) {
    records = limits.maximumItems
    bytes = limits.maximumReplyBytes / 2
  }
}

extension IncludedRecord {
  /// Equal for the same record.
  fileprivate var place: [UInt8] { Array("\(recordName)\0\(zoneName)".utf8) }

  /// In a list of them, about.
  fileprivate var byteCount: Int {
    (record?.body.bytes.count ?? 0) + recordName.utf8.count + zoneName.utf8.count + 64
  }
}

extension StoredRecord {
  /// What the record refers to at key paths, each once, as `resolver` finds it.
  ///
  /// Throws `limitExceeded` when that is more than may come along; not all of it was looked up then.
  func referencedRecords(
    at paths: [FieldPath], _ resolver: any RecordResolver, within limit: InclusionLimit
  ) throws(RecordError) -> [IncludedRecord] {
    var found: [IncludedRecord] = []
    var known: Set<[UInt8]> = []
    var bytes = body.bytes.count
    for path in paths {
      for reference in value(at: path, resolver: resolver)?.references ?? [] {
        let zone = reference.zoneName ?? zoneName
        var item = IncludedRecord(recordName: reference.recordName, zoneName: zone, record: nil)
        guard known.insert(item.place).inserted else { continue }
        item.record = resolver.record(named: item.recordName, inZone: zone)
        bytes += item.byteCount
        guard found.count < limit.records, bytes <= limit.bytes else {
          throw .includesTooMuch(self, maximumRecords: limit.records)
        }
        found.append(item)
      }
    }
    return found
  }

  /// Whether another has the same come along at a key path; false where it is too much to be compared.
  func includes(
    sameAs other: StoredRecord, at path: FieldPath, _ resolver: any RecordResolver,
    _ othersResolver: any RecordResolver
  ) -> Bool {
    // Those who are told hear soon enough that it is too much, if it is by the service's own limits.
    let limit = InclusionLimit(ServiceLimits())
    guard let own = try? referencedRecords(at: [path], resolver, within: limit),
      let others = try? other.referencedRecords(at: [path], othersResolver, within: limit)
    else { return false }
    return own == others
  }
}
