import ArgumentParsing
import Glibc
import ServiceFixture
import Testing

@testable import listsrpc

/// The project's own folder, found from this file's place in it.
private let root = String(#filePath.dropLast("/Tests/ListsrpcTests/CommandTableTests.swift".count))

private func has(_ program: String) -> Bool {
  (try? runToEnd(["sh", "-c", "command -v \(program)"]))?.ending.status == 0
}

@MainActor
struct CommandTableTests {
  @Test(
    "The committed completions and manual page are those of the command table",
    arguments: [
      ("completions/listsrpc.bash", Shell.bash), ("completions/_listsrpc", .zsh),
      ("completions/listsrpc.fish", .fish), ("listsrpc.1", nil),
    ])
  func fresh(file: String, shell: Shell?) throws {
    let path = "\(root)/Clients/Shell/\(file)"
    let committed = String(decoding: try InputFile(path).readToEnd(), as: UTF8.self)
    let made = shell.map { Verbs.program.completionScript(for: $0) } ?? Verbs.manual.text
    #expect(committed == made, "run Clients/Shell/update.sh")
  }

  @Test("Every verb has help with its usage and an example, except where there is nothing to show")
  func help() throws {
    for verb in Verbs.all {
      let name = verb.command.name
      guard case .help(let text) = try Verbs.program.parse([name, "--help"]) else {
        Issue.record("no help for \(name)")
        continue
      }
      #expect(text.hasPrefix("Usage: listsrpc \(name)"))
      #expect(text.contains("Examples:"))
    }
  }

  @Test("`help` and `help VERB` print what `--help` does", arguments: [[], ["query"]])
  func helpAsAWord(verb: [String]) throws {
    let program = "\(buildFolder)/listsrpc"
    let asWord = try runToEnd([program, "help"] + verb)
    let asOption = try runToEnd([program] + verb + ["--help"])
    #expect(asWord.ending.status == 0)
    #expect(asWord.output == asOption.output && !asWord.output.isEmpty)
  }

  @Test("No verb uses a name or letter that a common option has, or one twice")
  func names() {
    let common = Verbs.program.options + [Option("help", letter: "h", ""), Option("version", "")]
    for verb in Verbs.all {
      let options = verb.command.options + common
      #expect(Set(options.map(\.name)).count == options.count, "\(verb.command.name)")
      let letters = options.compactMap(\.letter)
      #expect(Set(letters).count == letters.count, "\(verb.command.name)")
    }
  }

  @Test(
    "bash completes verbs, options, choices and values behind =",
    arguments: [
      ("listsrpc qu", ["query"]), ("listsrpc query --section-", ["--section-by"]),
      ("listsrpc --soc", ["--socket"]), ("listsrpc query T --index-title wholeU", ["wholeUppercased"]),
      ("listsrpc save --policy = all", ["allKeys"]), ("listsrpc --database pub", ["public"]),
      ("listsrpc completion z", ["zsh"]), ("listsrpc query --limit 1", []),
    ])
  func bash(line: String, expected: [String]) throws {
    let script = """
      source '\(root)/Clients/Shell/completions/listsrpc.bash'
      COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _listsrpc
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let run = try runToEnd(["bash", "-c", script])
    #expect(run.outputText.split(separator: "\n").map(String.init) == expected)
    #expect(run.errorText == "")
  }

  @Test("bash completes file names with spaces as one word")
  func files() throws {
    let folder = try TemporaryFolder()
    close(open("\(folder.path)/two words.json", O_CREAT | O_WRONLY, 0o600))
    let script = """
      cd '\(folder.path)'; source '\(root)/Clients/Shell/completions/listsrpc.bash'
      COMP_WORDS=(listsrpc import tw); COMP_CWORD=2
      _listsrpc
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try runToEnd(["bash", "-c", script]).outputText == "two words.json\n")
  }

  @Test("zsh can read its completion", .enabled(if: has("zsh"), "zsh is not installed"))
  func zsh() throws {
    let run = try runToEnd(["zsh", "-n", "\(root)/Clients/Shell/completions/_listsrpc"])
    #expect(run.ending.status == 0)
    #expect(run.errorText == "")
  }

  @Test("fish completes verbs and choices", .enabled(if: has("fish"), "fish is not installed"))
  func fish() throws {
    let folder = try TemporaryFolder()
    let script = """
      source '\(root)/Clients/Shell/completions/listsrpc.fish'
      complete -C'listsrpc qu'; complete -C'listsrpc save --policy all'
      """
    let run = try runToEnd(["fish", "--no-config", "-c", script], environment: ["HOME": folder.path])
    #expect(run.outputText.contains("query"))
    #expect(run.outputText.contains("allKeys"))
  }

  @Test("man reads the page without a warning", .enabled(if: has("man"), "man is not installed"))
  func man() throws {
    let run = try runToEnd(
      ["man", "--warnings", "-P", "cat", "-l", "\(root)/Clients/Shell/listsrpc.1"],
      environment: ["LC_ALL": "C.UTF-8", "MANROFFOPT": nil])
    #expect(run.ending.status == 0)
    #expect(run.errorText == "")
    #expect(run.outputText.contains("EXIT STATUS"))
  }
}
