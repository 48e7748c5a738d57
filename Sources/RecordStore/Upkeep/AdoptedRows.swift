internal import Files
internal import JSONRPC
internal import Records
internal import SQLite

// The rows of a store's tables as they are taken over into another: from the engine, or as they stand in a page. What
// can't be such a row is none.

/// Where the old store was.
struct AdoptedPosition {
  let identity: UInt64
  let lastCommit: Int64
  let records: Int64

  /// By the engine: identity, lastCommit, records.
  init?(_ row: Statement) {
    self.init(UInt64(bitPattern: row.int64(0)), row.int64(1), row.int64(2))
  }

  init?(_ columns: [RawColumn]) {
    guard case .integer(let identity) = columns[1], case .integer(let lastCommit) = columns[2],
      case .integer(let records) = columns[4]
    else { return nil }
    self.init(UInt64(bitPattern: identity), lastCommit, records)
  }

  private init?(_ identity: UInt64, _ lastCommit: Int64, _ records: Int64) {
    guard (0..<1 << 42).contains(lastCommit), records >= 0 else { return nil }
    self.identity = identity
    self.lastCommit = lastCommit
    self.records = records
  }
}

struct AdoptedZone {
  let id: Int64
  let name: String
  let isDeleted: Bool
}

struct AdoptedType {
  let id: Int64
  let name: String
  let makesAutomaticIndexes: Bool
}

struct AdoptedField {
  let type: Int64
  let name: String
  let valueType: FieldType
  let indexing: FieldIndexing
  let rules: FieldRules?

  /// By the engine, in the order of the table.
  init?(_ row: Statement) {
    self.init(row.int64(0), row.text(1), row.text(2), row.int64(3), row.isNull(4) ? nil : row.text(4))
  }

  init?(_ columns: [RawColumn]) {
    guard columns.count == 5, case .integer(let type) = columns[0], case .text(let name) = columns[1],
      case .text(let valueType) = columns[2], case .integer(let indexing) = columns[3],
      columns[4].isNull || columns[4].text != nil
    else { return nil }
    self.init(type, name, valueType, indexing, columns[4].text)
  }

  private init?(_ type: Int64, _ name: String, _ valueType: String, _ indexing: Int64, _ rules: String?) {
    guard let valueType = FieldType(name: valueType), !name.isEmpty else { return nil }
    self.type = type
    self.name = name
    self.valueType = valueType
    self.indexing = FieldIndexing(rawValue: indexing)
    self.rules = rules.flatMap { try? JSON(parsing: $0) }.map { FieldRules(stored: $0, type: valueType) }
  }
}

struct AdoptedIndex {
  let type: Int64
  let shape: IndexShape
  let origin: DeclaredIndex.Origin
  let isListed: Bool

  /// By the engine: type, keys, kind, origin, isListed.
  init?(_ row: Statement) {
    self.init(row.int64(0), row.text(1), row.text(2), row.text(3), row.int64(4))
  }

  /// Of one that is not being removed.
  init?(_ columns: [RawColumn]) {
    guard case .integer(let type) = columns[1], let keys = columns[2].text, let kind = columns[3].text,
      let origin = columns[4].text, case .integer(let isListed) = columns[5], case .integer(0) = columns[6]
    else { return nil }
    self.init(type, keys, kind, origin, isListed)
  }

  private init?(_ type: Int64, _ keys: String, _ kind: String, _ origin: String, _ isListed: Int64) {
    guard let parts = [IndexPart](keys: keys), let kind = DeclaredIndex.Kind(rawValue: kind),
      let origin = DeclaredIndex.Origin(rawValue: origin), origin != .type
    else { return nil }
    self.type = type
    shape = IndexShape(kind: kind, parts: parts)
    self.origin = origin
    self.isListed = isListed != 0
  }
}

struct AdoptedSubscription {
  let user: Int64
  let id: String
  let definition: String
  let position: String

  /// By the engine: user, id, definition, position.
  init?(_ row: Statement) { self.init(row.int64(0), row.text(1), row.text(2), row.text(3)) }

  init?(_ columns: [RawColumn]) {
    guard columns.count == 5, case .integer(let user) = columns[0], let id = columns[1].text,
      let definition = columns[2].text, let position = columns[3].text, case .integer = columns[4]
    else { return nil }
    self.init(user, id, definition, position)
  }

  private init?(_ user: Int64, _ id: String, _ definition: String, _ position: String) {
    guard let json = try? JSON(parsing: definition), json.kind == .object, ChangeToken(text: position) != nil
    else { return nil }
    self.user = user
    self.id = id
    self.definition = definition
    self.position = position
  }
}

/// An answer under an idempotency key.
struct AdoptedAnswer {
  let user: Int64
  let key: String
  let digest: [UInt8]
  let timestamp: Int64
  let result: [UInt8]

  /// By the engine: user, key, digest, timestamp, result.
  init?(_ row: Statement) {
    self.init(row.int64(0), row.text(1), Array(row.bytes(2)), row.int64(3), Array(row.bytes(4)))
  }

  init?(_ columns: [RawColumn]) {
    guard columns.count == 6, case .integer(let user) = columns[0], let key = columns[1].text,
      case .blob(let digest) = columns[2], case .integer(let timestamp) = columns[3],
      case .blob(let result) = columns[4]
    else { return nil }
    self.init(user, key, digest, timestamp, result)
  }

  private init?(_ user: Int64, _ key: String, _ digest: [UInt8], _ timestamp: Int64, _ result: [UInt8]) {
    guard (1...255).contains(key.utf8.count), !digest.isEmpty,
      let json = try? JSON(parsing: result), json.kind == .object
    else { return nil }
    self.user = user
    self.key = key
    self.digest = digest
    self.timestamp = timestamp
    self.result = result
  }
}

/// Not found on pages, where other rows have the same form; those that records have follow from the records.
struct AdoptedAsset {
  let asset: Asset
  let added: Int64

  /// By the engine: checksum, size, added.
  init?(_ row: Statement) { self.init(row.text(0), row.int64(1), row.int64(2)) }

  private init?(_ checksum: String, _ size: Int64, _ added: Int64) {
    guard SHA256.isText(checksum), size >= 0 else { return nil }
    asset = Asset(checksum: checksum, size: size)
    self.added = added
  }
}

/// A change of the log that deleted a record, which it has.
struct AdoptedDeletion {
  let version: Version
  let row: Int64
  let user: Int64
  let body: [UInt8]
  let cause: Int64?
  let time: Int64

  /// By the engine: version, record, user, body, cause, deleted.
  init(_ row: Statement) {
    version = Version(rawValue: row.int64(0))
    self.row = row.int64(1)
    user = row.int64(2)
    body = Array(row.bytes(3))
    cause = row.optionalInt64(4)
    time = row.int64(5)
  }

  init?(_ row: DatabasePages.Row) {
    let columns = row.columns
    guard columns.count == 7, let number = row.number, case .integer(let record) = columns[1],
      case .integer(let user) = columns[2], case .blob(let body) = columns[4],
      case .integer(let time) = columns[6]
    else { return nil }
    version = Version(rawValue: number)
    self.row = record
    self.user = user
    self.body = body
    if case .integer(let cause) = columns[5] { self.cause = cause } else { cause = nil }
    self.time = time
  }
}

extension RawColumn {
  var isNull: Bool { if case .null = self { true } else { false } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
}
