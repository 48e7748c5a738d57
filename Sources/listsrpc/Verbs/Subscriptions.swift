import ArgumentParsing
import JSONRPC
import ListsClient

enum Subscriptions: Verb {
  static let command = Command(
    "subscriptions", "List, show, save or delete saved subscriptions",
    discussion: [
      "A saved subscription stays with the service, and so does how far its changes were taken in: whoever attaches "
        + "to it with 'watch --subscription ID' gets all that was missed, after any pause, and needs to keep no "
        + "token.",
      "'subscriptions save ID [TYPE]' saves one with the filter that the options give; the same one again keeps "
        + "its position, another one under that ID begins anew, now or at --since. 'subscriptions delete ID...' "
        + "deletes them, and 'subscriptions show ID...' shows them. Without an action all are listed.",
    ],
    options: LiveQuery.options + [Option("ignore-missing", "With delete: one that isn't there is no error")],
    operands: [
      Operand(
        "ACTION", "What to do (default: list them)", count: .optional,
        completion: .choices(["show", "save", "delete"])),
      Operand("WORD", "With save: an ID and a record type; with show and delete: IDs", count: .any),
    ],
    examples: [
      .init("listsrpc subscriptions save mail Message --where 'unread = YES'", "Save one"),
      .init(
        "listsrpc watch --subscription mail --exec ./notify",
        "Take its changes in, each until it succeeded once"),
      .init("listsrpc subscriptions", "How far each was taken in"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let words = Array(arguments.operands.dropFirst())
    try checkOptions(arguments)
    switch arguments.operands.first {
    case nil: try await show([nil], session)
    case "show" where !words.isEmpty: try await show(words, session)
    case "save" where (1...2).contains(words.count):
      try await save(words[0], type: words.dropFirst().first, arguments, session)
    case "delete" where !words.isEmpty: try await delete(words, arguments, session)
    case "save":
      throw Failure(
        usage: "'save' takes an ID and, unless it is to be of every type, a record type", verb: command.name)
    case "show", "delete":
      throw Failure(usage: "'\(arguments.operands[0])' takes one or several IDs", verb: command.name)
    case let action?:
      throw Failure(
        usage: "'\(action)' is none of show, save, delete; without a word all are listed", verb: command.name)
    }
  }

  /// Refuses options that would have no effect.
  private static func checkOptions(_ arguments: Arguments) throws(Failure) {
    let action = arguments.operands.first
    if action != "save", let option = LiveQuery.options.first(where: { arguments.has($0.name) }) {
      throw Failure(usage: "--\(option.name) goes with 'save' only", verb: command.name)
    }
    if action != "delete", arguments.has("ignore-missing") {
      throw Failure(usage: "--ignore-missing goes with 'delete' only", verb: command.name)
    }
  }

  /// - Parameter ids: Those to show; nil: all that there are.
  private static func show(_ ids: [String?], _ session: Session) async throws(Failure) {
    var subscriptions: [JSON] = []
    for id in ids {
      let params = id.map { [("subscriptionID", JSONNode.string($0))] } ?? []
      let reply = try await session.call("fetchSubscriptions", params)
      subscriptions += reply["subscriptions"].map { Array($0.elements) } ?? []
    }
    if session.printsJSON {
      for subscription in subscriptions { try session.output.writeLine(subscription.bytes) }
      return
    }
    guard !subscriptions.isEmpty else { return session.errors.say("there are no saved subscriptions") }
    var table = Table(headings: ["subscriptionID", "attached", "changeToken", "of"])
    for subscription in subscriptions {
      table.append([
        cell(subscription["subscriptionID"]?.stringValue ?? ""),
        cell(subscription["isAttached"]?.boolValue == true ? "yes" : "no"),
        cell(subscription["changeToken"]?.stringValue ?? ""), cell(subject(of: subscription)),
      ])
    }
    try session.printTable(table)
  }

  private static func cell(_ text: String) -> Table.Cell { .init(text: DisplayText.harmless(text)) }

  /// `Item where done = NO`, and what else was asked for.
  private static func subject(of subscription: JSON) -> String {
    var words = [subscription["recordType"]?.stringValue ?? "every type"]
    if let predicate = subscription["predicate"]?.stringValue { words.append("where \(predicate)") }
    let shown = ["subscriptionID", "recordType", "predicate", "changeToken", "isAttached"]
    for member in subscription.members where !shown.contains(member.name) {
      words.append("\(member.name)=\(DisplayText.cell(member.value))")
    }
    return words.joined(separator: " ")
  }

  private static func save(
    _ id: String, type: String?, _ arguments: Arguments, _ session: Session
  ) async throws(Failure) {
    let live = try LiveQuery(arguments, recordType: type, verb: command.name)
    let connection = try session.connection()
    let saved: SavedSubscription
    do throws(ClientError) {
      saved = try await connection.saveSubscription(id, live.request)
    } catch {
      throw Failure.client(error).explainingPredicate(live.request.predicate).explainingExpiry()
    }
    try session.print(saved.json, "Saved \(id), from \(saved.changeToken) on")
  }

  private static func delete(_ ids: [String], _ arguments: Arguments, _ session: Session)
    async throws(Failure)
  {
    for id in ids {
      var params: [(String, JSONNode)] = [("subscriptionID", .string(id))]
      if arguments.has("ignore-missing") { params.append(("ignoreMissing", true)) }
      let reply = try await session.call("deleteSubscription", params)
      try session.print(reply, "Deleted \(id)")
    }
  }
}
