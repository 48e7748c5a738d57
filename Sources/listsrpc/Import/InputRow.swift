import JSONRPC

/// What a file to import holds at one place.
enum InputRow {
  case value(JSON, place: String)
  /// It can't be read; what follows can.
  case fault(String, place: String)
}

/// The rows of a file, one after another.
protocol RowSource: AnyObject {
  /// The next row; nil at the end.
  func next() throws(Failure) -> InputRow?
  /// How far it is read, and how much there is: rows or bytes; nil when that isn't known.
  var progress: (done: Int, total: Int)? { get }
  /// The next row may be long in coming.
  var isWaiting: Bool { get }
  /// What is to be said at the end, a sentence each.
  var notes: [String] { get }
}

extension RowSource {
  var notes: [String] { [] }
}

/// The form of a file to import or to export.
enum RowFormat: String, CaseIterable {
  case json, jsonl, csv, tsv, cloudkit, parse

  /// By the file's name; nil when it says nothing.
  init?(path: String) {
    let name = path.lowercased()
    guard let dot = name.lastIndex(of: ".") else { return nil }
    switch name[dot...] {
    case ".json": self = .json
    case ".jsonl", ".ndjson", ".jsonlines": self = .jsonl
    case ".csv": self = .csv
    case ".tsv", ".tab": self = .tsv
    default: return nil
    }
  }
}
