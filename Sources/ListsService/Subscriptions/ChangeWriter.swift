internal import JSONRPC
internal import RecordStore
internal import Records

/// Writes changes as the protocol has them (`Protocol/schema/change.json`).
struct ChangeWriter {
  /// Nil for all fields.
  let desiredKeys: DesiredKeys?
  /// Whether to tell what was there before.
  let includesPrevious: Bool

  /// Writes one change. `isOwn`: whether it was made over the very connection that is told.
  func write(_ matched: MatchedChange, _ move: RowMove? = nil, isOwn: Bool, to writer: inout JSONWriter) {
    let change = matched.change
    writer.beginObject()
    writer.key("reason")
    writer.string(matched.reason.rawValue)
    writer.key("recordType")
    writer.string(change.recordType)
    writer.key("recordName")
    writer.string(change.recordName)
    writer.key("zoneName")
    writer.string(change.zoneName)
    if let after = change.after {
      writer.key("record")
      after.write(desiredKeys: desiredKeys, to: &writer)
      if change.before != nil {
        writer.key("changedKeys")
        writer.strings(matched.changedKeys)
      }
    }
    if includesPrevious, let before = change.before {
      writePrevious(before, matched, to: &writer)
    }
    if let move { write(move, to: &writer) }
    write(change.origin, isOwn: isOwn, to: &writer)
    if let cause = change.cause {
      writer.key("cause")
      writer.place(cause)
    }
    writer.endObject()
  }

  /// Writes a record that is there when the telling begins.
  func write(initial record: StoredRecord, _ move: RowMove? = nil, to writer: inout JSONWriter) {
    let change = RecordChange(initial: record)
    write(MatchedChange(change: change, reason: .created, changedKeys: []), move, isOwn: false, to: &writer)
  }

  /// Of a change the former values of what it changed, of a deletion all that there was.
  private func writePrevious(
    _ before: StoredRecord, _ matched: MatchedChange, to writer: inout JSONWriter
  ) {
    writer.key("previous")
    writer.beginObject()
    writer.key("fields")
    writer.beginObject()
    if matched.change.after == nil {
      for field in before.body["fields"]?.members ?? JSON(unchecked: []).members
      where desiredKeys?.contains(field.name) ?? true {
        writer.key(field.key)
        writer.raw(field.value)
      }
    } else {
      for key in matched.changedKeys {
        let followed = matched.previousValues[key]
        guard followed != nil || desiredKeys?.contains(key) ?? true else { continue }
        writer.key(key)
        if let value = followed?.json ?? before.json(ofField: key) {
          writer.raw(value)
        } else {
          writer.null()
        }
      }
    }
    writer.endObject()
    writer.endObject()
  }

  private func write(_ origin: Caller?, isOwn: Bool, to writer: inout JSONWriter) {
    writer.key("origin")
    writer.beginObject()
    writer.key("userRecordName")
    if let origin { writer.string(origin.userRecordName) } else { writer.null() }
    writer.key("isOwn")
    writer.bool(isOwn)
    writer.endObject()
  }

  private func write(_ move: RowMove, to writer: inout JSONWriter) {
    if let from = move.from {
      writer.key("from")
      writer.int(from)
    }
    if let to = move.to {
      writer.key("to")
      writer.int(to)
    }
    guard let section = move.section else { return }
    writer.key("section")
    writer.beginObject()
    writer.key("name")
    writer.string(section.name)
    writer.key("indexTitle")
    writer.string(section.indexTitle)
    writer.endObject()
  }
}

extension JSONWriter {
  /// Which record.
  mutating func place(_ place: RecordPlace) {
    beginObject()
    key("recordName")
    string(place.recordName)
    key("zoneName")
    string(place.zoneName)
    endObject()
  }
}
