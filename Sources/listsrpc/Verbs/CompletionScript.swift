import ArgumentParsing

enum CompletionScript: Verb {
  static let command = Command(
    "completion", "Print the completion script of a shell",
    discussion: ["It is made from the same table as this help."],
    operands: [
      Operand("SHELL", "bash, zsh or fish", completion: .choices(Shell.allCases.map(\.rawValue)))
    ],
    examples: [.init("source <(listsrpc completion bash)", "Complete in this shell from now on")])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    guard let shell = Shell(rawValue: arguments.operands[0]) else {
      throw Failure(usage: "SHELL is bash, zsh or fish, not '\(arguments.operands[0])'", verb: command.name)
    }
    try session.output.write(Verbs.program.completionScript(for: shell))
  }
}

enum Manual: Verb {
  static let command = Command(
    "manual", "Print this program's manual page",
    examples: [.init("listsrpc manual | man -l -", "Read it")])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    try session.output.write(Verbs.manual.text)
  }
}
