import ArgumentParsing
import JSONRPC
import ListsClient

enum Watch: Verb {
  static let command = Command(
    "watch", "Show changes as they happen",
    discussion: [
      "A line for each change, until interrupted or until whoever reads the output closes it. When the "
        + "service is restarted, watching goes on from the last change and misses none. Only at the beginning the "
        + "service must be there, or start by itself on the first connection: otherwise the end is at once, with 3.",
      "As JSON each line has 'reason' (created, updated, entered, left or deleted), the record's names, its "
        + "contents, and, on the last line of a commit, the 'changeToken' from which --since goes on. The reason "
        + "'reset' says that changes were missed which are no longer kept: fetch everything anew; with "
        + "--initial the records follow. The reason 'zoneDeleted' names a zone that was deleted; its records are "
        + "told one by one before. Neither has a record's name. The records of --initial have 'initial', and so has "
        + "what becomes of them until all are told.",
      "What --exec runs may fail: that is said, and the next change is taken. With --state or --subscription "
        + "it ends the watching, with 1, and the commit is not noted: the next watch begins with that commit, so "
        + "that each change is taken in until the command succeeded. The other changes of the commit then come "
        + "again too.",
      "With --state FILE watching goes on where it ended the last time, whatever ended it: the file keeps the "
        + "change token of the last commit that was printed whole (or whose commands were run). With --initial the "
        + "records come only when nothing is in the file yet. A line comes twice only when the program was killed "
        + "in the middle of a commit, or a command failed. Another watch, or another program at the same time, is refused the file.",
      "With --sort, --section-by or --limit the lines are of a live result: 'from' is the row that a record had "
        + "before, 'to' the one that it has now, to be applied one line after another.",
    ],
    options: LiveQuery.options + [
      Option(
        "state", takes: "FILE", completion: .file,
        "Go on where the last watch with this file ended, and note it")
    ] + LiveQuery.windowOptions + [
      Option(
        "subscription", takes: "ID",
        "The changes of a saved subscription (see 'subscriptions'); each commit is acknowledged once it is printed"
      ),
      Option(
        "exec", letter: "x", takes: "COMMAND", completion: .program,
        "Run this shell command for each change, one after another, with the JSON line on its standard input "
          + "and LISTS_REASON, LISTS_RECORD_TYPE, LISTS_RECORD_NAME and LISTS_ZONE_NAME in its environment, which are "
          + "empty where the line has no such name"),
      Option(
        "count", letter: "c", takes: "NUMBER",
        "End after that many changes; with --state or --subscription at the end of the commit, which the records "
          + "of --initial are all together"),
      Option("no-reconnect", "End when the connection is lost"),
    ],
    operands: [Operand("TYPE", "The record type (default: every type)", count: .optional)],
    examples: [
      .init("listsrpc watch Item --where 'done = NO'", "What becomes due, changes, or is done"),
      .init(
        "listsrpc watch Item --exec 'jq -r .recordName | xargs notify-send'", "A notification for each change"
      ),
      .init(
        "listsrpc watch Item --state ~/.local/state/items --initial >>items.jsonl",
        "A file of every change there ever was, over all restarts"),
      .init("listsrpc watch Item --sort -quantity --limit 10", "The ten largest, and how they move"),
      .init("listsrpc watch Item --where 'done = NO' --count-only", "How many are open, at any time"),
    ])

  /// How long the service may be away.
  private static let patience = Duration.seconds(60)

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let live = try LiveQuery(arguments, recordType: arguments.operands.first, verb: command.name)
    guard arguments.operands.isEmpty || !arguments.has("subscription") else {
      throw Failure(
        usage: "TYPE and --subscription exclude each other: what is saved has its type with it",
        verb: command.name)
    }
    let limit = try limit(arguments)
    let state: StateFile? =
      if let path = arguments.value("state") {
        try StateFile(path, verb: command.name, watched: live.watched)
      } else {
        nil
      }
    if !arguments.has("exec") { OutputReader.endProgramWhenGone() }
    let printer = ChangePrinter(
      session, command: arguments.value("exec"),
      endsAtFailure: arguments.has("state") || arguments.has("subscription"),
      includedPaths: live.includedPaths)
    var request = live.request
    if let id = arguments.value("subscription") {
      request = SubscriptionRequest(subscriptionID: id)
      request.container = arguments.value("container")
      request.database = arguments.value("database")
    }
    if let token = state?.changeToken { request.since = token }
    do throws(Failure) {
      let stream = try await stream(request, arguments, session, printer)
      if state != nil || request.subscriptionID != nil { Termination.watch() }
      if let state { try begin(state, at: stream.changeToken, printer) }
      try await take(stream, request, state: state, limit: limit, printer)
    } catch {
      throw error.explainingPredicate(request.predicate).explainingExpiry()
    }
  }

  /// Notes where it begins, so that an end before the first change misses nothing. Where an earlier beginning was
  /// not told whole, the records come again, and what was told before is void.
  private static func begin(_ state: StateFile, at token: String?, _ printer: ChangePrinter) throws(Failure) {
    if state.isInterrupted { _ = try printer.print(.reset(changeToken: token ?? "")) }
    if let token { try state.save(token) } else { try state.begin() }
  }

  /// Prints the events, and notes each whole commit behind it.
  private static func take(
    _ stream: ChangeStream, _ request: SubscriptionRequest, state: StateFile?, limit: Int,
    _ printer: ChangePrinter
  ) async throws(Failure) {
    // Only whole commits can be noted, so none is printed in part.
    let isNoted = state != nil || request.subscriptionID != nil
    var left = limit
    var isWithinCommit = false
    var lastCount: Int?
    while left > 0 || (isNoted && isWithinCommit), let event = try await next(of: stream) {
      // After an interruption the number comes again, whether it is another or not.
      if case .changes(let batch) = event, let count = batch.count {
        if count == lastCount { continue }
        lastCount = count
      }
      Termination.hold()
      left -= try printer.print(event, atMost: isNoted ? .max : left)
      switch event {
      case .changes(let batch):
        isWithinCommit = batch.isContinued
        if let state, let token = stream.changeToken {
          try OutputReader.syncFile()
          try state.save(token)
        }
        try await acknowledge(batch, stream)
      case .reset:
        isWithinCommit = false
        if let state, let token = stream.changeToken { try state.save(token) }
      }
      Termination.release()
    }
  }

  private static func acknowledge(_ batch: ChangeBatch, _ stream: ChangeStream) async throws(Failure) {
    do throws(ClientError) {
      try await stream.acknowledge(batch)
    } catch {
      throw .client(error)
    }
  }

  private static func limit(_ arguments: Arguments) throws(Failure) -> Int {
    do throws(UsageError) {
      return try arguments.integer("count", in: 1...Int.max) ?? Int.max
    } catch {
      throw .usage(error, verb: command.name)
    }
  }

  private static func stream(
    _ request: SubscriptionRequest, _ arguments: Arguments, _ session: Session, _ printer: ChangePrinter
  ) async throws(Failure) -> ChangeStream {
    do throws(Failure) {
      return try await stream(request, arguments, session)
    } catch {
      // A noted token that is no longer good is told of, and gone on from a fresh one.
      guard arguments.has("state"), request.since != nil, let failure = error.rejection,
        failure.errorCode == "changeTokenExpired", let fresh = failure.data?["changeToken"]?.stringValue
      else { throw error }
      _ = try printer.print(.reset(changeToken: fresh))
      var request = request
      request.since = fresh
      return try await stream(request, arguments, session)
    }
  }

  private static func stream(
    _ request: SubscriptionRequest, _ arguments: Arguments, _ session: Session
  ) async throws(Failure) -> ChangeStream {
    let isKept = arguments.has("no-reconnect")
    let connection = isKept ? try session.connection() : nil
    let address = try session.address()
    do throws(ClientError) {
      if let connection { return try await connection.subscribe(request) }
      return try await Connection.subscribe(request, to: address, patience: patience)
    } catch {
      throw .client(error)
    }
  }

  private static func next(of stream: ChangeStream) async throws(Failure) -> ChangeEvent? {
    do throws(ClientError) {
      return try await stream.next()
    } catch {
      throw .client(error)
    }
  }
}
