internal import Files
internal import Glibc

/// The pages of a database file as they are, whatever the engine thinks of them; those of its write-ahead log in the
/// place of older ones. The form is that of https://sqlite.org/fileformat2.html.
struct DatabasePages {
  /// Stores are made with pages of this size.
  static let pageSize = 4096

  private let file: OwnedDescriptor
  private let log: OwnedDescriptor?
  /// Where in the log the newest content of a page is.
  private var logged: [Int: Int64] = [:]
  let count: Int

  /// Nil when the file can't be opened.
  init?(path: String) {
    guard let file = OwnedDescriptor(opening: path, O_RDONLY) else { return nil }
    self.file = file
    log = OwnedDescriptor(opening: path + "-wal", O_RDONLY)
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { return nil }
    count = Int(status.st_size) / Self.pageSize
    if let log { readLog(log) }
  }

  /// Numbers of all pages, from 1.
  var numbers: [Int] { Array(1...max(count, logged.keys.max() ?? 0, 1)) }

  /// Nil for a page that is not there.
  func page(_ number: Int) -> [UInt8]? {
    guard number > 0 else { return nil }
    if let log, let offset = logged[number] { return Self.read(log, at: offset, Self.pageSize) }
    return Self.read(file, at: Int64(number - 1) * Int64(Self.pageSize), Self.pageSize)
  }

  /// Takes the frames up to the last commit of the log's present round.
  private mutating func readLog(_ log: OwnedDescriptor) {
    guard let header = Self.read(log, at: 0, 32), header[8..<12].elementsEqual([0, 0, 0x10, 0]) else {
      return
    }
    let salts = header[16..<24]
    var offset: Int64 = 32
    var uncommitted: [Int: Int64] = [:]
    while let frame = Self.read(log, at: offset, 24), frame[8..<16].elementsEqual(salts) {
      uncommitted[Self.number(frame[0..<4])] = offset + 24
      if Self.number(frame[4..<8]) != 0 {
        logged.merge(uncommitted) { $1 }
        uncommitted = [:]
      }
      offset += 24 + Int64(Self.pageSize)
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  private static func read(_ file: OwnedDescriptor, at offset: Int64, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard pread(file.rawValue, &bytes, count, Int(offset)) == count else { return nil }
    return bytes
  }
}

extension DatabasePages {
  /// A row as it stands in a page.
  struct Row {
    /// Where it is: its page, and its offset there.
    let place: Place
    /// Its number; nil in a table that has none.
    let number: Int64?
    let columns: [RawColumn]
  }

  struct Place {
    let page: Int
    let offset: Int
  }

  /// The rows of every page that has the form of a leaf and is not known to be free. What doesn't fit together is passed
  /// over.
  func forEachRow(_ body: (Row) -> Void) {
    let free = freePages
    for number in numbers where !free.contains(number) {
      guard let page = page(number) else { continue }
      let start = number == 1 ? 100 : 0
      guard page[start] == Self.tableLeaf || page[start] == Self.indexLeaf else { continue }
      let cells = Int(page[start + 3]) << 8 | Int(page[start + 4])
      guard start + 8 + 2 * cells <= Self.pageSize else { continue }
      for cell in 0..<cells {
        let place = start + 8 + 2 * cell
        let offset = Int(page[place]) << 8 | Int(page[place + 1])
        if let row = row(
          in: page, hasNumber: page[start] == Self.tableLeaf, .init(page: number, offset: offset))
        {
          body(row)
        }
      }
    }
  }

  /// The row at a place where there was one with a number.
  func row(at place: Place) -> Row? {
    page(place.page).flatMap { row(in: $0, hasNumber: true, place) }
  }

  private static let tableLeaf: UInt8 = 0x0D
  private static let indexLeaf: UInt8 = 0x0A

  private func row(in page: [UInt8], hasNumber: Bool, _ place: Place) -> Row? {
    guard let (number, payload) = cell(in: page, hasNumber: hasNumber, at: place.offset),
      let columns = RawColumn.all(in: payload)
    else { return nil }
    return Row(place: place, number: number, columns: columns)
  }

  /// Pages that the file says are free: what still stands there is of rows that were moved or removed. None where what
  /// it says doesn't add up.
  private var freePages: Set<Int> {
    guard let first = page(1), first.starts(with: "SQLite format 3".utf8) else { return [] }
    let count = Self.number(first[36..<40])
    var trunk = Self.number(first[32..<36])
    var free: Set<Int> = []
    while trunk != 0 {
      guard free.insert(trunk).inserted, free.count <= count, let page = page(trunk) else { return [] }
      let leaves = Self.number(page[4..<8])
      guard leaves <= Self.pageSize / 4 - 2 else { return [] }
      for leaf in 0..<leaves { free.insert(Self.number(page[8 + 4 * leaf..<12 + 4 * leaf])) }
      trunk = Self.number(page[0..<4])
    }
    return free.count == count ? free : []
  }

  private func cell(in page: [UInt8], hasNumber: Bool, at offset: Int) -> (Int64?, [UInt8])? {
    var reader = RawReader(page, from: offset)
    // No record has more bytes by far.
    guard let size = reader.varint(), (1...1 << 30).contains(size) else { return nil }
    var row: Int64?
    if hasNumber {
      guard let number = reader.varint() else { return nil }
      row = number
    }
    let payload = Int(size)
    let local = Self.localBytes(of: payload, inTable: hasNumber)
    guard var bytes = reader.bytes(local) else { return nil }
    if local < payload {
      guard let next = reader.bytes(4),
        appendOverflow(from: Self.number(next[...]), upTo: payload, to: &bytes)
      else {
        return nil
      }
    }
    return (row, bytes)
  }

  /// How much of a row's content stands in the leaf itself.
  private static func localBytes(of payload: Int, inTable: Bool) -> Int {
    let usable = pageSize
    let most = inTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard payload > most else { return payload }
    let least = (usable - 12) * 32 / 255 - 23
    let wanted = least + (payload - least) % (usable - 4)
    return wanted <= most ? wanted : least
  }

  private func appendOverflow(from first: Int, upTo size: Int, to bytes: inout [UInt8]) -> Bool {
    var number = first
    while bytes.count < size {
      guard number > 1, let page = page(number) else { return false }
      bytes += page[4..<min(Self.pageSize, 4 + size - bytes.count)]
      number = Self.number(page[0..<4])
    }
    return true
  }
}

/// A column's value as it stands in a page.
enum RawColumn {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  /// Of a kind that stores don't have.
  case other

  /// The columns of a row's content; nil when it has not that form.
  static func all(in payload: [UInt8]) -> [RawColumn]? {
    var header = RawReader(payload, from: 0)
    guard let size = header.varint(), (1...64).contains(size) else { return nil }
    var content = RawReader(payload, from: Int(size))
    var columns: [RawColumn] = []
    while header.position < Int(size) {
      guard let kind = header.varint(), let column = content.column(ofKind: kind) else { return nil }
      columns.append(column)
    }
    return columns
  }
}

/// Reads numbers and bytes one after another.
private struct RawReader {
  private let bytes: [UInt8]
  private(set) var position: Int

  init(_ bytes: [UInt8], from position: Int) {
    self.bytes = bytes
    self.position = position
  }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, position >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func varint() -> Int64? {
    var value: UInt64 = 0
    for place in 0..<9 {
      guard let byte = bytes(1)?[0] else { return nil }
      if place == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return Int64(bitPattern: value)
  }

  mutating func column(ofKind kind: Int64) -> RawColumn? {
    switch kind {
    case 0: return .null
    case 1...6:
      guard let digits = bytes([1, 2, 3, 4, 6, 8][Int(kind) - 1]) else { return nil }
      let isNegative = digits[0] & 0x80 != 0
      return .integer(digits.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
    case 7: return bytes(8).map { _ in .other }
    case 8, 9: return .integer(kind - 8)
    case 12...:
      guard let content = bytes(Int(clamping: (kind - 12) / 2)) else { return nil }
      return kind % 2 == 0 ? .blob(content) : .text(String(decoding: content, as: UTF8.self))
    default: return nil
    }
  }
}
