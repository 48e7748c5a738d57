import ArgumentParsing
import JSONRPC
import Records

/// The pages of what was deleted, or of what a record was.
@MainActor
struct UndoPages {
  private let method: String
  private let params: [(String, JSONNode)]
  private let list: String
  private var cursor: JSON?
  private var isAtEnd = false
  /// What the last page said; nil where it says nothing.
  private(set) var isComplete: Bool?

  /// `list` is the member with the page's items.
  init(_ method: String, _ params: [(String, JSONNode)], listing list: String) {
    self.method = method
    self.params = params
    self.list = list
  }

  /// Nil behind the last. A page may be empty.
  private mutating func next(atMost count: Int, _ session: Session) async throws(Failure) -> [JSON]? {
    guard !isAtEnd else { return nil }
    var params = params
    params.append(("resultsLimit", .int(Int64(min(count, Self.pageSize)))))
    if let cursor { params.append(("cursor", .json(cursor))) }
    let reply = try await session.call(method, params)
    cursor = reply["cursor"]
    isAtEnd = cursor == nil
    isComplete = reply["isComplete"]?.boolValue
    return reply[list].map { Array($0.elements) } ?? []
  }

  /// Prints what there is, as JSON lines or as a table with a row for each.
  ///
  /// - Returns: how many there were.
  mutating func print(
    _ headings: [String], atMost limit: Int, _ session: Session, row: (JSON) -> [String]
  ) async throws(Failure) -> Int {
    var table = Table(headings: headings)
    var shown = 0
    while shown < limit, let page = try await next(atMost: limit - shown, session) {
      shown += page.count
      for item in page {
        if session.printsJSON {
          try session.output.writeLine(item.bytes)
        } else {
          table.append(row(item).map { .init(text: $0) })
        }
      }
    }
    if !session.printsJSON, shown > 0 { try session.printTable(table) }
    return shown
  }

  private static let pageSize = 200
}

/// What the verbs of undo have in common.
enum UndoOptions {
  static let limit = Option("limit", letter: "n", takes: "NUMBER", "Stop after that many")

  static func limit(_ arguments: Arguments, verb: String) throws(Failure) -> Int {
    do throws(UsageError) {
      return try arguments.integer("limit", in: 1...Int.max) ?? .max
    } catch {
      throw .usage(error, verb: verb)
    }
  }

  /// When, of `{timestamp, userRecordName}`.
  static func time(_ stamp: JSON?) -> String {
    stamp?["timestamp"]?.int64Value.map(DateText.format) ?? ""
  }
}
