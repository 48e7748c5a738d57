import ArgumentParsing
import JSONRPC

enum Call: Verb {
  static let command = Command(
    "call", "Call any method of the protocol",
    discussion: [
      "Prints the result. --container and --database are added to parameters that are an object without "
        + "them. 'listsrpc call rpc.discover' describes every method."
    ],
    operands: [
      Operand("METHOD", "The method's name"),
      Operand("PARAMS", "Its parameters as JSON, or - to read them from standard input", count: .optional),
    ],
    examples: [
      .init("listsrpc call fetchRecord '{\"recordName\":\"BE\"}'", "By name, or by position: '[\"BE\"]'")
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let result = try await session.call(arguments.operands[0], params: try params(arguments, session))
    guard !session.printsJSON else { return try session.output.writeLine(result.bytes) }
    try session.output.write(IndentedJSON.text(of: result) + "\n")
  }

  private static func params(_ arguments: Arguments, _ session: Session) throws(Failure) -> JSON? {
    var params: JSON?
    if arguments.operands.count > 1 {
      let word = arguments.operands[1]
      let text = word == "-" ? try InputFile("-").readToEnd() : Array(word.utf8)
      do throws(JSONSyntaxError) {
        params = try JSON(parsing: text)
      } catch {
        throw Failure(usage: "PARAMS is not JSON: \(error.message)", verb: command.name)
      }
    }
    if let params, params.kind != .object { return params }
    let given = params.map { Array($0.members) } ?? []
    let added = session.place.filter { place in !given.contains { $0.isNamed(place.0) } }
    guard !added.isEmpty else { return params }
    return JSONNode.object(given.map { ($0.name, .json($0.value)) } + added).json
  }
}
