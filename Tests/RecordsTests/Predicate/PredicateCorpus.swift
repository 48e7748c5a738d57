import Glibc
import JSONRPC
import Records

/// The cases of `Tests/PredicateCorpus`, which are data so that every client can be held to them.
struct PredicateCorpus {
  struct Case: Sendable, CustomStringConvertible {
    enum Outcome: Sendable {
      case names([String])
      case column(Int)
    }

    let description: String
    let records: [StoredRecord]
    let predicate: String
    let arguments: [JSON]
    let variables: JSON?
    let outcome: Outcome

    /// The predicate as it is in this case.
    func parsed() throws(RecordError) -> Predicate {
      try Predicate(
        parsing: predicate, arguments: arguments, variables: variables, now: PredicateCorpus.now)
    }

    /// Finds the records of the set.
    var resolver: some RecordResolver { KnownRecords(records) }
  }

  /// When all records were saved, and what `now()` is.
  static let now: Int64 = 1_796_000_000_123

  enum Fault: Error {
    case unreadable(String)
    case malformed(file: String, line: Int, String)
  }

  private static let files = [
    "comparison", "text", "lists", "objects", "logic", "syntax", "places", "arithmetic", "dates", "elements",
    "references", "fulltext", "matches", "distances", "faults",
  ]

  static func cases() throws -> [Case] {
    let folder =
      "\(#filePath)".split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/PredicateCorpus"
    var cases: [Case] = []
    for file in files {
      let bytes = try contents(of: "\(folder)/\(file).jsonl")
      var sets: [String: [StoredRecord]] = [:]
      for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
        do {
          let json = try JSON(parsing: Array(line))
          if let name = json["set"]?.stringValue {
            sets[name] = try json["records"]?.elements.map(record) ?? []
          } else {
            cases.append(try makeCase(json, "\(file):\(index + 1)", sets))
          }
        } catch {
          throw Fault.malformed(file: file, line: index + 1, "\(error)")
        }
      }
    }
    return cases
  }

  private static func makeCase(_ json: JSON, _ place: String, _ sets: [String: [StoredRecord]]) throws -> Case
  {
    let predicate = json["predicate"]?.stringValue ?? ""
    let outcome: Case.Outcome =
      if let column = json["column"]?.int64Value {
        .column(Int(column))
      } else {
        .names(json["expected"]?.elements.compactMap(\.stringValue) ?? [])
      }
    let records =
      if let name = json["records"]?.stringValue { sets[name] ?? [] } else {
        try json["records"]?.elements.map(record) ?? []
      }
    return Case(
      description: "\(place) \(predicate)", records: records, predicate: predicate,
      arguments: json["arguments"]?.elements.map { $0 } ?? [], variables: json["variables"], outcome: outcome)
  }

  /// A record as a save would store it.
  private static func record(_ json: JSON) throws -> StoredRecord {
    let draft = try RecordDraft(json: json)
    let stamp = Stamp(timestamp: now, userRecordName: "_1000")
    var body = RecordBody(
      recordType: draft.recordType, recordName: draft.recordName ?? "", zoneName: draft.zoneName,
      recordChangeTag: "1-tag", created: stamp, modified: stamp)
    try body.apply(draft.fields, replacing: true, typeOf: { _ in nil })
    return body.stored()
  }

  private static func contents(of path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw Fault.unreadable(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }
}
