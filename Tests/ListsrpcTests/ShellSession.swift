import Glibc
import ServiceFixture

/// A service of a test's own and `listsrpc` with it.
final class ShellSession {
  let service: ListsdProcess
  let program = "\(buildFolder)/listsrpc"
  var environment: [String: String?] {
    ["LISTS_SOCKET": service.socketPath, "NO_COLOR": nil, "TERM": "xterm"]
  }

  init() throws {
    service = try ListsdProcess()
  }

  /// Runs it to its end, its output into a pipe.
  @discardableResult
  func run(_ words: String..., input: String = "") throws -> ProgramRun {
    try runToEnd([program] + words, environment: environment, input: Array(input.utf8))
  }

  /// Runs it and returns the lines that it prints.
  func lines(_ words: String..., input: String = "") throws -> [String] {
    let run = try runToEnd([program] + words, environment: environment, input: Array(input.utf8))
    guard run.ending.status == 0 else {
      throw FixtureError("listsrpc \(words) ended with \(run.ending): \(run.errorText)")
    }
    return run.outputText.split(separator: "\n").map(String.init)
  }

  /// Runs a command line of bash in which `listsrpc` is the program.
  func bash(_ script: String, input: String = "") throws -> ProgramRun {
    try runToEnd(
      ["bash", "-c", "listsrpc() { '\(program)' \"$@\"; }; \(script)"], environment: environment,
      input: Array(input.utf8))
  }

  /// Runs `listsrpc` with the words (in the shell's quoting) on a pseudo-terminal. The text has both its
  /// outputs as a terminal gets them.
  func terminal(_ words: String, columns: Int = 80, variables: [String: String?] = [:]) throws -> String {
    let run = try runToEnd(
      ["script", "-qec", "stty cols \(columns); '\(program)' \(words)", "/dev/null"],
      environment: environment.merging(variables) { $1 })
    return run.outputText.split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n")
  }

  /// Saves records n0, n1, … with their number as `n` and a name, by one import.
  func seed(_ count: Int, type: String = "Item") throws {
    let rows = (0..<count).map { #"{"recordName":"n\#($0)","recordType":"\#(type)","fields":{"n":\#($0)}}"# }
    let run = try run("import", "-", input: rows.joined(separator: "\n"))
    guard run.ending.status == 0 else { throw FixtureError("no seed: \(run.errorText)") }
  }
}

/// A `listsrpc watch` that goes on while the test acts; its lines can be waited for.
final class RunningWatch {
  let process: Int32
  private let output: Pipe
  private var received: [UInt8] = []
  private var hasEnded = false

  init(_ session: ShellSession, _ words: String...) throws {
    output = try Pipe()
    process = try spawn(
      [session.program, "watch"] + words, environment: session.environment, output: output.writeEnd)
    output.closeWriteEnd()
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      waitForEnd(of: process)
    }
  }

  /// The next line; nil at the end of the output. The wait has a bound.
  func nextLine() throws -> String? {
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let more = try output.readSome()
      if more.isEmpty { return nil }
      received.append(contentsOf: more)
    }
  }

  /// Stops reading, as `head` does.
  func closeOutput() { output.closeReadEnd() }

  func send(_ signal: Int32) { kill(process, signal) }

  func waitUntilEnded() -> Ending {
    hasEnded = true
    return waitForEnd(of: process)
  }
}

extension RunningWatch {
  /// Reads to the end of its output; the number of lines.
  func waitUntilEndedAfterReadingAll() -> Int {
    var count = 0
    while (try? nextLine()) ?? nil != nil { count += 1 }
    _ = waitUntilEnded()
    return count
  }
}

extension Pipe {
  /// What is there, once something is; empty at the end. The wait has a bound.
  func readSome() throws -> ArraySlice<UInt8> {
    var waiting = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 20_000) > 0 else { throw FixtureError("nothing came within 20 s") }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(readEnd, &buffer, buffer.count)
    return buffer.prefix(max(0, count))
  }
}
