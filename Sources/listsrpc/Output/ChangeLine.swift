import JSONRPC
import ListsClient

/// A change as a line.
enum ChangeLine {
  /// The change as received, with what belongs to its push behind it.
  ///
  /// - Parameters:
  ///   - changeToken: On the last line of a commit.
  ///   - included: What came along with the record.
  static func json(
    of change: RecordChange, changeToken: String?, isInitial: Bool, included: IncludedRecords
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for member in change.json.members {
      writer.key(member.key)
      if member.name == "record", !included.isEmpty {
        writer.raw(JSON(unchecked: included.extended(member.value)))
      } else {
        writer.raw(member.value)
      }
    }
    if isInitial {
      writer.key("initial")
      writer.bool(true)
    }
    if let changeToken {
      writer.key("changeToken")
      writer.string(changeToken)
    }
    writer.endObject()
    return writer.bytes
  }

  static func reset(changeToken: String) -> [UInt8] {
    JSONNode.object([("reason", "reset"), ("changeToken", .string(changeToken))]).encoded()
  }

  static func json(ofDeletedZone zoneName: String, changeToken: String?) -> [UInt8] {
    var members: [(String, JSONNode)] = [("reason", "zoneDeleted"), ("zoneName", .string(zoneName))]
    if let changeToken { members.append(("changeToken", .string(changeToken))) }
    return JSONNode.object(members).encoded()
  }

  /// `updated  Item milk  quantity=2 done=true`, in a window `updated  Item milk  3→0  quantity=2`.
  static func text(of change: RecordChange) -> String {
    let reason = DisplayText.padded(DisplayText.harmless(change.reason), to: 8)
    var text =
      "\(reason)  \(DisplayText.harmless(change.recordType)) \(DisplayText.harmless(change.recordName))"
    switch (change.from, change.to) {
    case (nil, nil): break
    case (let from?, let to?): text += from == to ? "  \(to)" : "  \(from)→\(to)"
    case (nil, let to?): text += "  →\(to)"
    case (let from?, nil): text += "  \(from)→"
    }
    if let section = change.section { text += " (\(DisplayText.harmless(section.name)))" }
    guard let fields = change.record?["fields"] else { return text }
    let changed = Set(change.changedKeys)
    let isWhole = changed.isEmpty || change.reason == "created" || change.reason == "entered"
    let shown = fields.members.filter { isWhole || changed.contains($0.name) }
    let previous = change.json["previous"]?["fields"]
    let values = shown.map { member in
      let old = isWhole ? nil : previous?[member.name].map { DisplayText.cell($0) + "→" }
      return "\(DisplayText.harmless(member.name))=\(old ?? "")\(DisplayText.cell(member.value))"
    }
    if !values.isEmpty { text += "  " + values.joined(separator: " ") }
    return text
  }
}
