internal import Files
internal import Glibc
internal import Records
internal import SQLite

/// What can still be read of a store's file: by the engine as far as that reaches, then what stands on the pages.
final class DamagedStore {
  let connection: Connection?
  private let pages: DatabasePages?
  private(set) lazy var rows = RowsOnPages(of: pages)

  init(_ path: String) {
    pages = DatabasePages(path: path)
    connection = Self.open(path)
  }

  deinit {
    // What was read was of one moment.
    try? connection?.database.execute("ROLLBACK")
  }

  private static func open(_ path: String) -> Connection? {
    // The log of an empty file would be removed.
    guard let size = Folder.size(of: path), size > 0 else { return nil }
    for access in [Database.Access.readOnly, .immutable] {
      guard let database = try? Database(path: path, access: access, busyTimeout: 1000) else { continue }
      try? database.execute(
        "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON; BEGIN")
      guard (try? database.integer("SELECT count(*) FROM sqlite_schema")) != nil else { continue }
      return Connection(database)
    }
    return nil
  }

  /// What is read of each row that the engine can reach, with those on pages behind them when it reaches not all. A row
  /// may come twice then, and in a state that it had before.
  func all<Value>(
    _ sql: String, _ read: (Statement) -> Value?, onPages: (RowsOnPages) -> [Value]
  ) -> (values: [Value], isWhole: Bool) {
    var values: [Value] = []
    if let rows = try? connection?.database.prepare(sql) {
      do {
        while try rows.step() {
          if let value = read(rows) { values.append(value) }
        }
        return (values, true)
      } catch {
        // The rest is on pages that it can't reach.
      }
    }
    return (values + onPages(rows), false)
  }

  func row(at place: DatabasePages.Place) -> DatabasePages.Row? { pages?.row(at: place) }
}

/// The rows on a file's pages, told apart by their form alone. What is large is only pointed at.
struct RowsOnPages {
  struct Record {
    let id: Int64
    let zone: Int64
    let name: String
    let version: Version
    /// Nil for the row of a deleted record.
    let body: DatabasePages.Place?
  }

  private(set) var records: [Record] = []
  private(set) var zones: [AdoptedZone] = []
  private(set) var types: [AdoptedType] = []
  private(set) var fields: [AdoptedField] = []
  private(set) var indexes: [AdoptedIndex] = []
  private(set) var subscriptions: [AdoptedSubscription] = []
  private(set) var answers: [AdoptedAnswer] = []
  /// Changes that were deletions, by version.
  private(set) var deletions: [(version: Version, place: DatabasePages.Place)] = []
  private(set) var store: AdoptedPosition?

  init(of pages: DatabasePages?) {
    pages?.forEachRow { row in
      if let number = row.number { add(row, number) } else { add(row.columns) }
    }
    deletions.sort { $0.version < $1.version }
  }

  /// A row of a table whose rows have numbers, which stand for the first column.
  private mutating func add(_ row: DatabasePages.Row, _ number: Int64) {
    let columns = row.columns
    guard case .null? = columns.first else { return }
    switch columns.count {
    case 2, 3:
      if case .text(let name) = columns[1], columns.count == 2 || columns[2].isNull {
        zones.append(AdoptedZone(id: number, name: name, isDeleted: false))
      }
    case 4:
      if case .text(let name) = columns[1], case .integer = columns[2], case .integer(let isOn) = columns[3] {
        types.append(AdoptedType(id: number, name: name, makesAutomaticIndexes: isOn != 0))
      }
    case 6:
      guard case .text(let name) = columns[1], case .integer(let zone) = columns[2],
        case .integer = columns[3], case .integer(let version) = columns[4]
      else { return }
      if case .blob = columns[5] {
        records.append(
          Record(
            id: number, zone: zone, name: name, version: Version(rawValue: version), body: row.place))
      } else if columns[5].isNull {
        records.append(
          Record(id: number, zone: zone, name: name, version: Version(rawValue: version), body: nil))
      }
    case 7:
      if AdoptedDeletion(row) != nil { deletions.append((Version(rawValue: number), row.place)) }
    case 9:
      if number == 1, store == nil { store = AdoptedPosition(columns) }
    case 13:
      if let index = AdoptedIndex(columns) { indexes.append(index) }
    default: return
    }
  }

  /// A row of another table.
  private mutating func add(_ columns: [RawColumn]) {
    if let field = AdoptedField(columns) {
      fields.append(field)
    } else if let subscription = AdoptedSubscription(columns) {
      subscriptions.append(subscription)
    } else if let answer = AdoptedAnswer(columns) {
      answers.append(answer)
    }
  }
}
