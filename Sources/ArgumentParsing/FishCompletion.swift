/// Completion for fish.
struct FishCompletion {
  let program: Command

  var text: String {
    var lines = [
      "# Completion of \(program.name) for fish; made from the program's command table.",
      "complete -c \(program.name) -f",
    ]
    for option in program.options + [.help] { lines.append(line(option, condition: nil)) }
    let noVerb = program.commands.isEmpty ? nil : "__fish_use_subcommand"
    lines.append(line(.version, condition: noVerb))
    lines += program.operands.compactMap { operandLine($0, condition: nil) }
    for verb in program.commands {
      lines.append(
        "complete -c \(program.name) -n __fish_use_subcommand -a \(verb.name) -d \(quotedForFish(verb.summary))"
      )
      let condition = "__fish_seen_subcommand_from \(verb.name)"
      lines += verb.options.map { line($0, condition: condition) }
      lines += verb.operands.compactMap { operandLine($0, condition: condition) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ option: Option, condition: String?) -> String {
    var text = start(condition) + " -l \(option.name)"
    if let letter = option.letter { text += " -s \(letter)" }
    if let value = option.value { text += " " + action(value.completion, isOptionValue: true) }
    return text + " -d \(quotedForFish(option.help))"
  }

  private func operandLine(_ operand: Operand, condition: String?) -> String? {
    guard operand.completion != .nothing else { return nil }
    return start(condition) + " " + action(operand.completion, isOptionValue: false)
  }

  private func start(_ condition: String?) -> String {
    "complete -c \(program.name)" + (condition.map { " -n \(quotedForFish($0))" } ?? "")
  }

  private func action(_ completion: Completion, isOptionValue: Bool) -> String {
    switch completion {
    case .nothing: "-x"
    case .file: isOptionValue ? "-r -F" : "-F"
    case .directory: "-x -a '(__fish_complete_directories)'"
    case .program: "-x -a '(__fish_complete_command)'"
    case .choices(let choices):
      (isOptionValue ? "-x " : "") + "-a \(quotedForFish(choices.joined(separator: " ")))"
    }
  }

  private func quotedForFish(_ text: String) -> String {
    var result = "'"
    for character in text {
      if character == "'" || character == "\\" { result.append("\\") }
      result.append(character)
    }
    return result + "'"
  }
}
