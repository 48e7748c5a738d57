internal import JSONRPC
internal import RecordStore

/// What one push tells: all of a commit, or as much of it as fits one message.
struct PushPart {
  /// A JSON list.
  var changes: [UInt8]
  /// A JSON list of the records that the changes' records refer to; nil when they were not asked for.
  var included: [UInt8]?

  static let empty = PushPart(changes: Array("[]".utf8), included: nil)
}

/// Lists of changes as JSON, divided so that no push grows far beyond a few MiB.
struct PushParts {
  private static let bytesOfAPart = 4 << 20
  private var parts: [PushPart] = []
  private var current = JSONWriter()
  private var included: IncludedRecords?
  private var isOpen = false

  /// Appends what `write` writes, a JSON value, and what `include` gives besides.
  mutating func append(including records: [IncludedRecord]? = nil, _ write: (inout JSONWriter) -> Void) {
    let bytes = current.bytes.count + (included?.byteCount(with: records ?? []) ?? 0)
    if isOpen, bytes > Self.bytesOfAPart { close() }
    if !isOpen {
      current.beginArray()
      isOpen = true
    }
    write(&current)
    if let records {
      if included == nil { included = IncludedRecords() }
      for record in records { included?.append(record) }
    }
  }

  private mutating func close() {
    current.endArray()
    parts.append(PushPart(changes: current.bytes, included: included?.list()))
    current = JSONWriter()
    included = nil
    isOpen = false
  }

  /// None when nothing was appended.
  mutating func finish() -> [PushPart] {
    if isOpen { close() }
    return parts
  }
}
