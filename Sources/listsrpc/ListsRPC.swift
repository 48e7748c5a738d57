import ArgumentParsing
import CLinux
import Glibc
import ListsClient

/// The shell client: reads the command line, runs its verb, and makes an exit status of how that went.
@main
@MainActor
struct ListsRPC {
  static let version = "0.1.0"

  static func main() async {
    // A reader that has seen enough is told by EPIPE, and ends the program quietly.
    signal(SIGPIPE, SIG_IGN)
    // Character classes and widths of UTF-8, whatever the user's locale.
    setlocale(LC_CTYPE, "C.UTF-8")
    let output = Output(descriptor: STDOUT_FILENO)
    let errors = Output(descriptor: STDERR_FILENO)
    let status: ExitStatus
    do throws(Failure) {
      try await run(Array(CommandLine.arguments.dropFirst()), output, errors)
      try output.flush()
      status = .success
    } catch {
      status = error.exitStatus
      // What was printed before belongs before the error.
      try? output.flush()
      error.report(to: errors)
    }
    exit(status.rawValue)
  }

  private static func run(_ words: [String], _ output: Output, _ errors: Output) async throws(Failure) {
    // As git and others have it: `help VERB` is `VERB --help`.
    let words = words.first == "help" ? words.dropFirst() + ["--help"] : words
    let invocation: Invocation
    do throws(UsageError) {
      invocation = try Verbs.program.parse(words, columns: min(output.columns ?? 80, 100))
    } catch {
      throw .usage(error, verb: words.first { Verbs.named($0) != nil })
    }
    switch invocation {
    case .help(let text):
      try output.write(text)
    case .version:
      try output.write("listsrpc (Lists) \(version)\n")
    case .run(let arguments):
      guard let verb = Verbs.named(arguments.command) else { return }
      let session = Session(arguments: arguments, output: output, errors: errors)
      do throws(Failure) {
        try await verb.run(arguments, session)
      } catch {
        throw error.reportable(showsJSON: arguments.has("json"))
      }
    }
  }
}
