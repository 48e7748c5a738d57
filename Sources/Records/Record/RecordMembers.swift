import JSONRPC

/// The members of a record as a client sends it, each of its type; null counts as absent.
struct RecordMembers {
  static let known = [
    "recordType", "recordName", "zoneName", "recordChangeTag", "fields", "created", "modified",
  ]

  let recordType: String?
  let recordName: String?
  let zoneName: String?
  let recordChangeTag: String?
  let fields: JSON?

  init(_ json: JSON) throws(RecordError) {
    let members = try json.members(of: "a record", known: Self.known)
    recordType = try Self.text(0, members)
    recordName = try Self.text(1, members)
    zoneName = try Self.text(2, members)
    recordChangeTag = try Self.text(3, members)
    fields = members[4].flatMap { $0.isNull ? nil : $0 }
  }

  private static func text(_ index: Int, _ members: [JSON?]) throws(RecordError) -> String? {
    guard let json = members[index], !json.isNull else { return nil }
    guard let text = json.stringValue else {
      throw RecordError(.invalidArguments, "the record's \(known[index]) is not a text")
    }
    return text
  }
}
