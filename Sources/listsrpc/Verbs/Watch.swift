import ArgumentParsing
import JSONRPC
import ListsClient

enum Watch: Verb {
  static let command = Command(
    "watch", "Show changes as they happen",
    discussion: [
      "A line for each change, until interrupted or until whoever reads the output closes it. When the "
        + "service is restarted, watching goes on from the last change and misses none.",
      "As JSON each line has 'reason' (created, updated, entered, left or deleted), the record's names, its "
        + "contents, and, on the last line of a commit, the 'changeToken' from which --since goes on. The reason "
        + "'reset' says that changes were missed which are no longer kept: fetch everything anew; with "
        + "--initial the records follow.",
    ],
    options: RecordQuery.filterOptions + [
      RecordQuery.fieldsOption,
      Option("fires-on", takes: "LIST", "Only these reasons, with commas between them"),
      Option("initial", letter: "i", "Begin with the records that match now"),
      Option("since", takes: "TOKEN", "Begin with what happened since this change token"),
      Option(
        "exec", letter: "x", takes: "COMMAND", completion: .program,
        "Run this shell command for each change, one after another, with the JSON line on its standard input "
          + "and LISTS_REASON, LISTS_RECORD_TYPE and LISTS_RECORD_NAME in its environment"),
      Option("count", letter: "c", takes: "NUMBER", "End after that many changes"),
      Option("no-reconnect", "End when the connection is lost"),
    ],
    operands: [Operand("TYPE", "The record type (default: every type)", count: .optional)],
    examples: [
      .init("listsrpc watch Item --where 'done = NO'", "What becomes due, changes, or is done"),
      .init(
        "listsrpc watch Item --exec 'jq -r .recordName | xargs notify-send'", "A notification for each change"
      ),
    ])

  /// How long the service may be away.
  private static let patience = Duration.seconds(60)

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let request = try request(arguments)
    let limit = try limit(arguments)
    let command = arguments.value("exec")
    if command == nil { OutputReader.endProgramWhenGone() }
    let printer = ChangePrinter(session, command: command)
    do throws(Failure) {
      let stream = try await stream(request, arguments, session)
      var left = limit
      while left > 0, let event = try await next(of: stream) {
        left -= try printer.print(event, atMost: left)
      }
    } catch {
      throw error.explainingPredicate(request.predicate).explainingExpiry()
    }
  }

  private static func limit(_ arguments: Arguments) throws(Failure) -> Int {
    do throws(UsageError) {
      return try arguments.integer("count", in: 1...Int.max) ?? Int.max
    } catch {
      throw .usage(error, verb: command.name)
    }
  }

  private static func request(_ arguments: Arguments) throws(Failure) -> SubscriptionRequest {
    let query: RecordQuery
    do throws(UsageError) {
      query = try RecordQuery(arguments, recordType: arguments.operands.first ?? "")
    } catch {
      throw .usage(error, verb: command.name)
    }
    guard !arguments.has("initial") || arguments.value("since") == nil else {
      throw Failure(usage: "--initial and --since exclude each other", verb: command.name)
    }
    var request = SubscriptionRequest(recordType: arguments.operands.first, predicate: query.predicate)
    request.arguments = query.arguments
    request.variables = query.variables
    request.filterBy = query.filterBy
    request.zoneName = query.zoneName
    request.desiredKeys = query.desiredKeys
    request.firesOn = arguments.value("fires-on").map(RecordQuery.list) ?? []
    request.since = arguments.value("since")
    request.sendsInitial = arguments.has("initial")
    request.container = arguments.value("container")
    request.database = arguments.value("database")
    return request
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
