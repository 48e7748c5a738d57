import Records

/// What a text in CloudKit's schema language says: Apple's "Integrating a Text-Based Schema into Your Workflow".
struct CloudKitSchema: Equatable {
  var recordTypes: [RecordType] = []
  /// `CREATE ROLE`; nothing here has roles.
  var roles: [String] = []

  struct RecordType: Equatable {
    var name: String
    /// The record type's own, in the order of the text.
    var fields: [Field] = []
    /// Those of ``SystemField`` that are to be searched or sorted by.
    var systemFields: [SystemField: Set<Option>] = [:]
    /// How many `GRANT`s there are; nothing here grants anything.
    var grants = 0
  }

  struct Field: Equatable {
    var name: String
    var type: FieldType
    var options: Set<Option> = []
    var isEncrypted = false
  }

  enum Option: String, CaseIterable {
    case queryable = "QUERYABLE"
    case sortable = "SORTABLE"
    case searchable = "SEARCHABLE"
  }

  /// The fields that every record type has.
  enum SystemField: String, CaseIterable {
    case createTime = "___createTime"
    case createdBy = "___createdBy"
    case etag = "___etag"
    case modTime = "___modTime"
    case modifiedBy = "___modifiedBy"
    case recordID = "___recordID"

    var type: FieldType.Element {
      switch self {
      case .createTime, .modTime: .date
      case .createdBy, .modifiedBy, .recordID: .reference
      case .etag: .string
      }
    }

    /// The key that it is here.
    var key: String {
      switch self {
      case .createTime: "creationDate"
      case .createdBy: "creatorUserRecordID"
      case .etag: "recordChangeTag"
      case .modTime: "modificationDate"
      case .modifiedBy: "lastModifiedUserRecordID"
      case .recordID: "recordName"
      }
    }
  }

  /// The words that a name in quotes only may be.
  static let reservedWords: Set<String> = ["grant", "preferred", "queryable", "sortable", "searchable"]

  /// A name that CloudKit lets its users make: a letter, then letters, digits and `_`, of ASCII.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// The word for a type. Booleans are integers in CloudKit, and an object its JSON text.
  static func word(for type: FieldType.Element) -> String {
    switch type {
    case .string, .object: "STRING"
    case .int64, .boolean: "INT64"
    case .double: "DOUBLE"
    case .date: "TIMESTAMP"
    case .bytes: "BYTES"
    case .location: "LOCATION"
    case .reference: "REFERENCE"
    case .asset: "ASSET"
    }
  }

  /// The types of the language's words, `NUMBER` apart.
  static let types: [String: FieldType.Element] = [
    "ASSET": .asset, "BYTES": .bytes, "DOUBLE": .double, "INT64": .int64, "LOCATION": .location,
    "REFERENCE": .reference, "STRING": .string, "TIMESTAMP": .date,
  ]
}
