import ArgumentParsing
import Glibc
import JSONRPC
import ListsClient

/// What a verb works with: the service, connected to when first needed, and the user's terminal.
@MainActor
final class Session {
  let output: Output
  let errors: Output
  /// Records and results are printed as JSON, one value a line.
  let printsJSON: Bool
  /// Progress is shown on standard error.
  let showsProgress: Bool
  private let arguments: Arguments
  private var opened: Connection?
  /// How many connections were opened.
  private(set) var connections = 0

  init(arguments: Arguments, output: Output, errors: Output) {
    self.arguments = arguments
    self.output = output
    self.errors = errors
    printsJSON = arguments.has("json") || !output.isTerminal
    showsProgress = errors.isTerminal && !arguments.has("no-progress")
  }

  /// The address that the options and the environment name.
  func address() throws(Failure) -> ServiceAddress {
    do throws(ClientError) {
      return try ServiceAddress.resolve(path: arguments.value("socket"))
    } catch {
      throw .client(error)
    }
  }

  /// The connection, made when first asked for.
  func connection() throws(Failure) -> Connection {
    if let opened { return opened }
    let address = try address()
    do throws(ClientError) {
      let connection = try Connection(to: address)
      opened = connection
      connections += 1
      return connection
    } catch {
      throw .client(error)
    }
  }

  /// Has the next call open another connection, unless that happened since there were so many.
  func forgetConnection(_ number: Int) {
    if connections == number { opened = nil }
  }

  /// Calls a method in the container and database that the options name.
  func call(_ method: String, _ params: [(String, JSONNode)]) async throws(Failure) -> JSON {
    try await call(method, params: JSONNode.object(params + place).json)
  }

  /// Sends a request to the container and database that the options name, and doesn't wait for its reply.
  func send(_ method: String, _ params: [(String, JSONNode)]) throws(Failure) -> SentCall {
    try connection().send(method, params: JSONNode.object(params + place).json)
  }

  /// Calls a method with its parameters as they are.
  func call(_ method: String, params: JSON?) async throws(Failure) -> JSON {
    let connection = try connection()
    do throws(ClientError) {
      return try await connection.call(method, params: params)
    } catch {
      throw .client(error)
    }
  }

  /// The parameters that say which database is meant.
  var place: [(String, JSONNode)] {
    ["container", "database"].compactMap { name in
      arguments.value(name).map { (name, .string($0)) }
    }
  }

  /// Prints a reply as JSON, or what it says to a person.
  func print(_ reply: JSON, _ text: String) throws(Failure) {
    guard !printsJSON else { return try output.writeLine(reply.bytes) }
    try output.write(DisplayText.harmless(text) + "\n")
  }
}
