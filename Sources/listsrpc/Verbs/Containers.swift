import ArgumentParsing
import JSONRPC

enum Containers: Verb {
  static let command = Command(
    "containers", "List or delete containers",
    discussion: [
      "A container is an application's own set of databases, made when it is first used. 'containers delete NAME...' "
        + "deletes containers with everything that all users have in them; the container 'default' stays. Without an "
        + "action they are listed."
    ],
    operands: [
      Operand(
        "ACTION", "What to do (default: list them)", count: .optional, completion: .choices(["delete"])),
      Operand("NAME", "The containers' names", count: .any),
    ],
    examples: [
      .init("listsrpc containers", "What there is, and how much"),
      .init("listsrpc containers delete org.example.Notes", "Gone with all its records"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let names = arguments.operands.dropFirst()
    switch arguments.operands.first {
    case nil:
      let reply = try await session.call("fetchContainers", params: nil)
      for container in reply["containers"].map({ Array($0.elements) }) ?? [] {
        try session.print(container, text(of: container))
      }
    case "delete" where !names.isEmpty:
      for name in names {
        let params = JSONNode.object([("container", .string(name))])
        let reply = try await session.call("deleteContainer", params: params.json)
        try session.print(reply, "Deleted \(name)")
      }
    case "delete": throw Failure(usage: "NAME is missing", verb: command.name)
    case let action?:
      throw Failure(
        usage: "'\(action)' is not 'delete'; without a word the containers are listed", verb: command.name)
    }
  }

  /// `name: private 12 records, 40960 bytes; public …`
  private static func text(of container: JSON) -> String {
    let databases = container["databases"].map { Array($0.elements) } ?? []
    let parts = databases.map { database in
      let name = database["database"]?.stringValue ?? ""
      let records =
        database["numberOfRecords"]?.int64Value.map { "\($0) record\($0 == 1 ? "" : "s"), " } ?? ""
      return "\(name) \(records)\(database["bytes"]?.int64Value ?? 0) bytes"
    }
    return "\(container["container"]?.stringValue ?? ""): "
      + (parts.isEmpty ? "empty" : parts.joined(separator: "; "))
  }
}
