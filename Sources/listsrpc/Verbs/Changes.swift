import ArgumentParsing
import JSONRPC
import ListsClient

enum Changes: Verb {
  static let command = Command(
    "changes", "List what changed since a change token, and end",
    discussion: [
      "A line for each record that changed, in its last state: 'reason' is created, updated or deleted. Without "
        + "--since everything that there is, as created. The last line has the 'changeToken' from which --since "
        + "goes on, here and with 'watch'; when nothing changed there is no line, and the old one stays "
        + "good. A token to begin with, whatever is there, is in the reply of 'listsrpc call fetchZones'.",
      "With --state FILE each run goes on where the last one ended. When the changes since then are no longer kept, "
        + "a line with the reason 'reset' comes first and everything that there is behind it: what does not come "
        + "is gone.",
    ],
    options: [
      Option("zone", letter: "z", takes: "NAME", "Only records of this zone"),
      RecordQuery.fieldsOption,
      Option("previous", letter: "p", "With the values from before"),
      Option("since", takes: "TOKEN", "What happened since this change token"),
      Option(
        "state", takes: "FILE", completion: .file,
        "Go on where the last run with this file ended, and note it"),
    ],
    operands: [Operand("TYPE", "The record type (default: every type)", count: .optional)],
    examples: [
      .init("listsrpc changes Item --state ~/.local/state/items", "What changed since the last time"),
      .init(
        "listsrpc call fetchZones | jq -r .changeToken", "A token to begin with, for what changes from now on"
      ),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    guard !arguments.has("since") || !arguments.has("state") else {
      throw Failure(usage: "--since and --state exclude each other", verb: command.name)
    }
    var request = ChangesRequest(since: arguments.value("since"))
    request.recordType = arguments.operands.first
    request.zoneName = arguments.value("zone")
    request.desiredKeys = arguments.value("fields").map(RecordQuery.list)
    request.includesPrevious = arguments.has("previous")
    request.container = arguments.value("container")
    request.database = arguments.value("database")
    let printer = ChangePrinter(session)
    if let path = arguments.value("state") {
      let state = try StateFile(path, verb: command.name, watched: watched(request))
      request.since = state.changeToken
      return try await print(request, state, printer, session)
    }
    do throws(Failure) {
      while let page = try await fetch(request, session) {
        try printer.print(page)
        guard page.isContinued else { return }
        request.since = page.changeToken
      }
    } catch {
      throw error.explainingExpiryOfFetched()
    }
  }

  private static func fetch(
    _ request: ChangesRequest, _ session: Session
  ) async throws(Failure) -> FetchedChanges? {
    let connection = try session.connection()
    do throws(ClientError) {
      return try await connection.fetchChanges(request)
    } catch {
      throw .client(error)
    }
  }

  /// Prints the pages, and notes each behind it.
  private static func print(
    _ request: ChangesRequest, _ state: StateFile, _ printer: ChangePrinter, _ session: Session
  ) async throws(Failure) {
    Termination.watch()
    var pages = try session.connection().changePages(request).makeAsyncIterator()
    while true {
      let page: FetchedChanges?
      do throws(ClientError) {
        page = try await pages.next()
      } catch {
        throw .client(error)
      }
      guard let page else { return }
      Termination.hold()
      try printer.print(page)
      try OutputReader.syncFile()
      try state.save(page.changeToken)
      Termination.release()
    }
  }

  /// What the changes are of, beside where to begin and their form.
  private static func watched(_ request: ChangesRequest) -> JSONNode {
    let texts = [
      ("recordType", request.recordType), ("zoneName", request.zoneName),
      ("container", request.container ?? "default"), ("database", request.database ?? "private"),
    ]
    return .object(texts.compactMap { name, text in text.map { (name, .string($0)) } })
  }
}
