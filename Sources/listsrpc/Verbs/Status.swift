import ArgumentParsing
import JSONRPC
import ListsClient

enum Status: Verb {
  static let command = Command(
    "status", "Show whether the service answers, how much it holds, its version and its limits",
    discussion: ["Connecting starts a service that systemd starts on demand."],
    examples: [.init("listsrpc status --json | jq .limits", "The limits in force")])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let path = try session.address().path
    let info = try await session.call("serverInfo", [])
    if session.printsJSON {
      let members: [(String, JSONNode)] =
        [("socket", .string(path))]
        + info.members.map { ($0.name, .json($0.value)) }
      return try session.output.writeLine(JSONNode.object(members).encoded())
    }
    let output = session.output
    let name = DisplayText.cell(info["name"]) + " " + DisplayText.cell(info["version"])
    try output.write(output.bold(name) + "  protocol \(DisplayText.cell(info["protocolVersion"]))\n")
    var lines: [(String, String)] = [("socket", path)]
    for member in info["statistics"]?.members.map({ $0 }) ?? [] {
      lines.append((member.name, DisplayText.cell(member.value["message"] ?? member.value)))
    }
    let shownElsewhere = ["name", "version", "protocolVersion", "limits", "statistics"]
    for member in info.members where !shownElsewhere.contains(member.name) {
      let list = member.value.elements.map { DisplayText.cell($0) }
      lines.append(
        (member.name, list.isEmpty ? DisplayText.cell(member.value) : list.joined(separator: ", ")))
    }
    let limits = info["limits"].map { Array($0.members) } ?? []
    let widest = (lines.map(\.0) + limits.map(\.name)).map { DisplayText.width($0) }.max() ?? 0
    for (key, value) in lines {
      try output.write("\(DisplayText.padded(DisplayText.harmless(key), to: widest))  \(value)\n")
    }
    if !limits.isEmpty { try output.write(output.bold("limits") + "\n") }
    for limit in limits {
      let key = DisplayText.padded(DisplayText.harmless(limit.name), to: widest)
      try output.write("\(key)  \(DisplayText.cell(limit.value))\n")
    }
  }
}
