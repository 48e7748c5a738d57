import ArgumentParsing
import Testing

private let program = Command(
  "tool", "Do 'things' [quickly]",
  options: [Option("file", letter: "f", takes: "PATH", completion: .file, "Read it: 'all' [of] it")],
  commands: [
    Command(
      "run", "Run a thing",
      options: [
        Option("mode", takes: "MODE", completion: .choices(["fast", "slow"]), "How"),
        Option("quiet", letter: "q", "Say nothing"),
      ],
      operands: [Operand("WHAT", "What to run", count: .some, completion: .program)],
      examples: [.init("tool run --mode fast x", "Run x")])
  ],
  sections: [.init("Exit status", [.init("0", "All went well."), .init(".5", "'Half' of it.")])])

struct GeneratedTextTests {
  @Test("Each completion knows every verb, option and choice", arguments: Shell.allCases)
  func completeness(shell: Shell) {
    let script = program.completionScript(for: shell)
    for word in ["run", "mode", "quiet", "file", "fast", "slow", "help"] {
      #expect(script.contains(word), "\(shell) lacks \(word)")
    }
    #expect(script == program.completionScript(for: shell))
  }

  @Test("The manual page escapes what roff would take for a request")
  func manual() {
    let text = ManualPage(program, section: 1, source: "Tool 1", seeAlso: ["other(8)"]).text
    #expect(text.contains(".TH TOOL 1 \"\" \"Tool 1\" \"\""))
    #expect(text.contains("\\fB\\-\\-mode\\fR \\fIMODE\\fR"))
    #expect(text.contains("\\(aqHalf\\(aq"))
    #expect(text.contains(".SH EXIT STATUS"))
    let requests = [
      ".TH", ".SH", ".SS", ".TP", ".B", ".I", ".PP", ".nf", ".fi", ".RS", ".RE", ".br", ".\\\"",
    ]
    for line in text.split(separator: "\n") where line.hasPrefix(".") {
      #expect(requests.contains { line == $0 || line.hasPrefix($0 + " ") }, "\(line)")
    }
  }
}
