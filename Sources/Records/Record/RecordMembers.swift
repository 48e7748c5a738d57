import JSONRPC

/// The members of a record as a client sends it, each of its type; null counts as absent.
struct RecordMembers {
  static let known = [
    "recordType", "recordName", "zoneName", "recordChangeTag", "created", "modified", "fields",
  ]

  let recordType: String?
  let recordName: String?
  let zoneName: String?
  let recordChangeTag: String?
  let fields: JSON?

  init(_ json: JSON) throws(RecordError) {
    let members = try json.members(of: "a record", known: Self.known)
    recordType = try Self.text("recordType", members)
    recordName = try Self.text("recordName", members)
    zoneName = try Self.text("zoneName", members)
    recordChangeTag = try Self.text("recordChangeTag", members)
    fields = members["fields"].flatMap { $0.isNull ? nil : $0 }
  }

  private static func text(_ name: String, _ members: [String: JSON]) throws(RecordError) -> String? {
    guard let json = members[name], !json.isNull else { return nil }
    guard let text = json.stringValue else {
      throw RecordError(.invalidArguments, "the record's \(name) is not a text")
    }
    return text
  }
}
