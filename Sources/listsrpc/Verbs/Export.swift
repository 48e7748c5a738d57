import ArgumentParsing
import Glibc
import JSONRPC

enum Export: Verb {
  static let command = Command(
    "export", "Write the records of a type to a file",
    discussion: [
      "As JSON lines or as a JSON array each record is whole, and 'import' takes it back. CSV has the name "
        + "and the fields, references as the name they refer to, and what has no short form as JSON."
    ],
    options: RecordQuery.filterOptions + [
      RecordQuery.fieldsOption,
      RecordQuery.sortOption,
      Option(
        "format", takes: "FORMAT", completion: .choices(RowFormat.allCases.map(\.rawValue)),
        "jsonl, json, csv or tsv (default: by the file's name, else jsonl)"),
      Option("output", letter: "o", takes: "FILE", completion: .file, "The file (default: standard output)"),
    ],
    operands: [Operand("TYPE", "The record type")],
    examples: [.init("listsrpc export Item -o items.csv --fields name,quantity", "A table for a spreadsheet")]
  )

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let query: RecordQuery
    do throws(UsageError) {
      query = try RecordQuery(arguments, recordType: arguments.operands[0])
    } catch {
      throw .usage(error, verb: command.name)
    }
    let path = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
    let format =
      arguments.value("format").flatMap { RowFormat(rawValue: $0) } ?? path.flatMap { RowFormat(path: $0) }
    do throws(Failure) {
      // The query comes first: a file is not emptied for one that is refused.
      let run = try await ExportRun(query, format ?? .jsonl, session)
      let file = try path.map { path throws(Failure) in try ExportFile(path) }
      try await run.write(to: file?.output ?? session.output)
      try file?.finish()
      if file != nil, !session.printsJSON { try session.output.write("\(run.written) records written\n") }
    } catch {
      throw error.explainingPredicate(query.predicate)
    }
  }
}

/// A file that takes the place of the old one once it is whole.
private struct ExportFile {
  let output: Output
  private let descriptor: Int32
  private let path: String
  private let draft: String

  init(_ path: String) throws(Failure) {
    self.path = path
    draft = path + ".part"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .trouble("can't write \(path): \(String(cString: strerror(errno)))") }
    output = Output(descriptor: descriptor)
  }

  func finish() throws(Failure) {
    try output.flush()
    guard fsync(descriptor) == 0, close(descriptor) == 0, rename(draft, path) == 0 else {
      throw .trouble("can't write \(path): \(String(cString: strerror(errno)))")
    }
  }
}
