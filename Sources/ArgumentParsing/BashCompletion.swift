/// Completion for bash, with nothing from the bash-completion package.
struct BashCompletion {
  let program: Command

  var text: String {
    let function = "_" + program.name
    var lines = [
      "# Completion of \(program.name) for bash; made from the program's command table.",
      "\(function)() {",
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev= verb= i",
      "  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}",
      "  # `--name=value` arrives as three words, because bash breaks words at `=`.",
      "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi",
      "  COMPREPLY=()",
    ]
    lines += verbSearch
    lines += valueCases
    lines += wordCases
    lines += ["}", "complete -F \(function) \(program.name)"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Finds the verb: the first word that is one.
  private var verbSearch: [String] {
    guard !program.commands.isEmpty else { return [] }
    return [
      "  for ((i = 1; i < COMP_CWORD; i++)); do",
      "    case ${COMP_WORDS[i]} in",
      "      \(program.commands.map(\.name).joined(separator: "|"))) verb=${COMP_WORDS[i]}; break ;;",
      "    esac",
      "  done",
    ]
  }

  /// Completes the value of an option that was just typed.
  private var valueCases: [String] {
    var lines = ["  case $verb:$prev in"]
    for verb in program.commands {
      for option in verb.options { lines += valueCase(option, verb: verb.name) }
    }
    for option in program.options { lines += valueCase(option, verb: "*") }
    lines.append("  esac")
    return lines.count > 2 ? lines : []
  }

  private func valueCase(_ option: Option, verb: String) -> [String] {
    guard let value = option.value else { return [] }
    var patterns = ["\(verb):--\(option.name)"]
    if let letter = option.letter { patterns.append("\(verb):-\(letter)") }
    let fill = value.completion == .nothing ? "" : action(value.completion) + "; "
    return ["    \(patterns.joined(separator: "|"))) \(fill)return ;;"]
  }

  private var wordCases: [String] {
    var lines = ["  case $verb in"]
    for verb in program.commands {
      lines += wordCase(verb.name, program.completedOptions(of: verb), operands: verb.operands, verbs: [])
    }
    lines += wordCase(
      "*", program.completedOptions(of: nil), operands: program.operands,
      verbs: program.commands.map(\.name))
    lines.append("  esac")
    return lines
  }

  private func wordCase(
    _ pattern: String, _ options: [Option], operands: [Operand], verbs: [String]
  ) -> [String] {
    var lines = ["    \(pattern))"]
    lines.append("      if [[ $cur == -* ]]; then \(action(.choices(options.map { "--\($0.name)" })))")
    if !verbs.isEmpty {
      lines.append("      else \(action(.choices(verbs)))")
    } else if let operand = operands.last(where: { $0.completion != .nothing }) {
      lines.append("      else \(action(operand.completion))")
    }
    lines += ["      fi", "      ;;"]
    return lines
  }

  /// Fills COMPREPLY, one line of compgen's a word: names may hold spaces.
  private func action(_ completion: Completion) -> String {
    let fill = { (words: String) in "mapfile -t COMPREPLY < <(compgen \(words) -- \"$cur\")" }
    return switch completion {
    case .nothing: ":"
    case .file: "compopt -o filenames 2>/dev/null; " + fill("-f")
    case .directory: "compopt -o filenames 2>/dev/null; " + fill("-d")
    case .program: fill("-c")
    case .choices(let choices): fill("-W " + quoted(choices.joined(separator: " ")))
    }
  }
}
