internal import JSONRPC
internal import Records
internal import SQLite

/// The words of a record as a full-text index keeps them: in columns, so that the texts of one field can be
/// searched alone as well as all together.
///
/// A field gets a column of its own (a slot) with the first text of it that goes into the index, for good; when
/// none is left, its words go into the last column, with those of all such fields. What is found there in one
/// of them may be another's: the evaluator decides.
struct FullTextColumns {
  /// Of the table; the last is the shared one.
  static let count = 16
  private static let shared = count - 1

  /// Of a longer word only the whole characters in these bytes are kept: what is found for it may be another
  /// long word.
  static let maximumWordBytes = 60

  /// Stands between two texts in a column, so that no sequence of words goes on from one to the next. A
  /// token to the engine, and no word.
  private static let gap = Array("· ".utf8)

  private let index: Int64
  /// By slot.
  private var fields: [String]
  /// By column: each word with a space behind it.
  private(set) var words = [[UInt8]](repeating: [], count: count)

  /// Without words yet.
  init(of index: FullTextIndex, in connection: Connection) throws(SQLiteError) {
    self.index = index.id
    fields = []
    let rows = try connection.database.cached(
      "SELECT name FROM fullTextField WHERE declaredIndex = ?1 ORDER BY slot")
    rows.bind(index.id, at: 1)
    while try rows.step() { fields.append(rows.text(0)) }
  }

  /// Of all words together.
  var bytes: Int { words.reduce(0) { $0 + $1.count } }

  /// The column of a field's words; nil when there can be none.
  func column(ofField name: String) -> Int? {
    if let slot = fields.firstIndex(where: { $0.hasSameUTF8(as: name) }) { return slot }
    return fields.count < Self.shared ? nil : Self.shared
  }

  /// Adds the words of a record all of whose fields are known.
  mutating func add(_ record: StoredRecord) {
    record.forEachText { field, text in
      add(text, column: slot(of: field) ?? Self.shared)
      return true
    }
  }

  /// Adds the words of any record; gives slots to its fields that are new.
  mutating func add(_ record: StoredRecord, assigningIn connection: Connection) throws(SQLiteError) {
    var failure: SQLiteError?
    record.forEachText { field, text in
      do throws(SQLiteError) {
        if let slot = slot(of: field) {
          add(text, column: slot)
        } else {
          add(text, column: try assign(field, in: connection))
        }
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
  }

  private mutating func add(_ text: JSON, column: Int) {
    if !words[column].isEmpty { words[column] += Self.gap }
    Words.append(text, to: &words[column], maximumBytes: Self.maximumWordBytes)
  }

  private func slot(of field: JSON) -> Int? {
    fields.firstIndex { field.isString($0) }
  }

  private mutating func assign(_ field: JSON, in connection: Connection) throws(SQLiteError) -> Int {
    let slot = fields.count
    guard slot < Self.shared, let name = field.stringValue else { return Self.shared }
    let insert = try connection.database.cached(
      "INSERT INTO fullTextField (declaredIndex, name, slot) VALUES (?1, ?2, ?3)")
    insert.bind(index, at: 1)
    insert.bind(name, at: 2)
    insert.bind(Int64(slot), at: 3)
    try insert.run()
    fields.append(name)
    return slot
  }
}
