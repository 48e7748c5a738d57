internal import SQLite

/// What a file says that its tables are, in a form in which a store that an earlier program made, and this one
/// brought up to date, is the same as a new one.
struct SchemaComparison: Equatable {
  private struct Object: Hashable {
    let type: String
    let name: String
    let table: String
    /// The text without comments and white space: what stands before the columns, and behind them.
    let head: String
    let tail: String
    /// Sorted: a column that came later stands in another place.
    let parts: [String]
  }

  private let objects: Set<Object>

  private init(_ objects: Set<Object>) { self.objects = objects }

  /// Nil when there is more than a store can have.
  init?(of database: Database) throws(SQLiteError) {
    var objects: Set<Object> = []
    let rows = try database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    while try rows.step() {
      guard objects.count < Self.maximumObjects else { return nil }
      let (head, parts, tail) = Self.parts(of: rows.isNull(3) ? "" : rows.text(3))
      objects.insert(
        Object(
          type: rows.text(0), name: rows.text(1), table: rows.text(2), head: head, tail: tail,
          parts: parts.sorted()))
    }
    self.init(objects)
  }

  /// The numbers of the full-text indexes, by the names of their tables.
  var fullTextIndexes: [Int64] {
    let prefix = FullTextIndex(id: 0).table.dropLast()
    return objects.compactMap { object in
      guard object.name.hasPrefix(prefix), let id = Int64(object.name.dropFirst(prefix.count)),
        object.name == FullTextIndex(id: id).table
      else { return nil }
      return id
    }
  }

  /// Of a new store with these full-text indexes.
  static func expected(fullTextIndexes: [Int64]) throws(SQLiteError) -> SchemaComparison? {
    let database = try Database(path: ":memory:", access: .readWriteCreate, busyTimeout: 0)
    try Schema.create(in: database, identity: 0)
    let connection = Connection(database)
    for id in fullTextIndexes { try FullTextIndex(id: id).create(in: connection) }
    return try SchemaComparison(of: database)
  }

  /// Whether there is nothing in it that does something by itself, or that isn't called as what a store has.
  func hasNoMore(than expected: SchemaComparison) -> Bool {
    let known = Set(expected.objects.map { [$0.type, $0.name, $0.table] })
    return objects.allSatisfy { known.contains([$0.type, $0.name, $0.table]) }
  }

  private static let maximumObjects = 10_000

  /// Cut at the commas between the outermost parentheses.
  private static func parts(of sql: String) -> (head: String, parts: [String], tail: String) {
    var cutter = SchemaText(sql)
    cutter.run()
    return (cutter.head, cutter.parts, cutter.tail)
  }
}

/// Takes the text of a definition apart.
private struct SchemaText {
  private let characters: [UInt8]
  private var depth = 0
  private var part: [UInt8] = []
  private var hasSpace = false
  private(set) var head = ""
  private(set) var parts: [String] = []
  private(set) var tail = ""

  init(_ text: String) { characters = Array(text.utf8) }

  mutating func run() {
    var place = 0
    while place < characters.count {
      let character = characters[place]
      switch character {
      case UInt8(ascii: "-") where following(place) == character: place = end(ofComment: place, "\n")
      case UInt8(ascii: "/") where following(place) == UInt8(ascii: "*"): place = end(ofComment: place, "*/")
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): place = quoted(from: place)
      case UInt8(ascii: "["): place = quoted(from: place, upTo: UInt8(ascii: "]"))
      case UInt8(ascii: " "), 9...13:
        hasSpace = true
        place += 1
      default:
        take(character)
        place += 1
      }
    }
    tail = text(part)
  }

  private func following(_ place: Int) -> UInt8? {
    place + 1 < characters.count ? characters[place + 1] : nil
  }

  private mutating func take(_ character: UInt8) {
    switch character {
    case UInt8(ascii: "("):
      depth += 1
      if depth == 1 { return head += finish() }
    case UInt8(ascii: ")"):
      depth -= 1
      if depth == 0 { return parts.append(finish()) }
    case UInt8(ascii: ",") where depth == 1: return parts.append(finish())
    default: break
    }
    append(character)
  }

  /// Space between two words counts as one; any other as none.
  private mutating func append(_ character: UInt8) {
    if hasSpace, let last = part.last, Self.isOfWord(last), Self.isOfWord(character) {
      part.append(UInt8(ascii: " "))
    }
    hasSpace = false
    part.append(character)
  }

  private static func isOfWord(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "'"), UInt8(ascii: "\""), 128...:
      true
    default: false
    }
  }

  private mutating func finish() -> String {
    defer {
      part = []
      hasSpace = false
    }
    return text(part)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func end(ofComment start: Int, _ end: String) -> Int {
    let end = Array(end.utf8)
    var place = start + 2
    while place < characters.count, !characters[place...].starts(with: end) { place += 1 }
    return min(characters.count, place + end.count)
  }

  /// What is quoted stays as it is.
  private mutating func quoted(from start: Int, upTo end: UInt8? = nil) -> Int {
    let end = end ?? characters[start]
    append(characters[start])
    var place = start + 1
    while place < characters.count {
      part.append(characters[place])
      place += 1
      if characters[place - 1] == end { break }
    }
    return place
  }
}
