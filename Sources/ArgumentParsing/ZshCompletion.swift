/// Completion for zsh, by `_arguments`.
struct ZshCompletion {
  let program: Command

  var text: String {
    var lines = [
      "#compdef \(program.name)",
      "# Completion of \(program.name) for zsh; made from the program's command table.",
      "_\(program.name)() {",
      "  local context state state_descr line",
      "  typeset -A opt_args",
    ]
    if program.commands.isEmpty {
      lines += arguments(options: program.completedOptions(of: nil), operands: program.operands, indent: "  ")
    } else {
      lines += verbs
    }
    lines += ["}", "_\(program.name) \"$@\""]
    return lines.joined(separator: "\n") + "\n"
  }

  private var verbs: [String] {
    var lines = ["  _arguments -C -s -S \\"]
    lines += program.completedOptions(of: nil).flatMap(specifications).map { "    \($0) \\" }
    lines += [
      "    '1: :->verb' \\", "    '*:: :->rest'", "  case $state in", "    verb)", "      local -a verbs",
    ]
    lines.append("      verbs=(")
    lines += program.commands.map { "        " + quoted("\($0.name):\($0.summary)") }
    lines += ["      )", "      _describe command verbs", "      ;;", "    rest)", "      case $line[1] in"]
    for verb in program.commands {
      lines.append("        \(verb.name))")
      lines += arguments(
        options: program.completedOptions(of: verb), operands: verb.operands, indent: "          ")
      lines.append("          ;;")
    }
    lines += ["      esac", "      ;;", "  esac"]
    return lines
  }

  private func arguments(options: [Option], operands: [Operand], indent: String) -> [String] {
    var words = options.flatMap(specifications)
    for (index, operand) in operands.enumerated() {
      let position =
        switch operand.count {
        case .one: "\(index + 1):"
        case .optional: "\(index + 1)::"
        case .any, .some: "*:"
        }
      words.append(quoted("\(position)\(described(operand.placeholder)):\(action(operand.completion))"))
    }
    var lines = [indent + "_arguments -s -S \\"]
    lines += words.dropLast().map { indent + "  \($0) \\" }
    if let last = words.last { lines.append(indent + "  \(last)") }
    return lines
  }

  /// One specification for each spelling of an option.
  private func specifications(_ option: Option) -> [String] {
    let help = "[\(described(option.help))]"
    let value = option.value.map { ":\(described($0.placeholder)):\(action($0.completion))" } ?? ""
    let star = option.isRepeatable ? "*" : ""
    var result = [quoted("\(star)--\(option.name)\(option.value == nil ? "" : "=")\(help)\(value)")]
    if let letter = option.letter {
      result.append(quoted("\(star)-\(letter)\(option.value == nil ? "" : "+")\(help)\(value)"))
    }
    return result
  }

  private func described(_ text: String) -> String {
    var result = ""
    for character in text {
      if "[]:\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .program: "_command_names -e"
    case .choices(let choices): "(\(choices.joined(separator: " ")))"
    }
  }
}
