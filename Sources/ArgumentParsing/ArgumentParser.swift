extension Command {
  /// Reads a command line, GNU style: options and operands in any order, `--name=value` or the value as
  /// the next word, letters in a bundle (`-qv`, `-nVALUE`), `--` before what only looks like an option.
  /// Long names are not abbreviated, because a later option would change what a script means.
  ///
  /// - Parameters:
  ///   - words: The arguments without the program's own name.
  ///   - columns: The width that help texts are laid out for.
  /// - Throws: `UsageError` that names the argument at fault.
  public func parse(_ words: [String], columns: Int = 80) throws(UsageError) -> Invocation {
    var parser = ArgumentParser(program: self, columns: columns)
    return try parser.parse(words)
  }
}

/// The state of reading one command line.
struct ArgumentParser {
  /// The program and the verbs chosen so far.
  private var commands: [Command]
  private var options: [(name: String, value: String)] = []
  private var operands: [String] = []
  private let columns: Int

  init(program: Command, columns: Int) {
    commands = [program]
    self.columns = columns
  }

  mutating func parse(_ words: [String]) throws(UsageError) -> Invocation {
    var rest = words[...]
    var readsOptions = true
    while let word = rest.popFirst() {
      if readsOptions, word == "--" {
        readsOptions = false
      } else if readsOptions, word.hasPrefix("--") {
        try parseLong(word, &rest)
      } else if readsOptions, word.hasPrefix("-"), word.utf8.count > 1 {
        try parseLetters(word, &rest)
      } else {
        try parseOperand(word)
      }
    }
    if options.contains(where: { $0.name == "help" }) {
      return .help(HelpText(commands: commands, columns: columns).text)
    }
    if options.contains(where: { $0.name == "version" }) {
      return .version
    }
    try checkOperandCount()
    return .run(Arguments(path: commands.map(\.name), operands: operands, options: options))
  }

  /// The options that count here: the chosen command's own and those of the commands above it.
  private var accepted: [Option] {
    commands.flatMap(\.options) + [.help, .version]
  }

  private mutating func parseLong(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = accepted.first(where: { $0.name == name }) else {
      throw unknown("--\(name)")
    }
    let attached = parts.count == 2 ? String(parts[1]) : nil
    guard let value = option.value else {
      if attached != nil { throw UsageError("--\(name) takes no value") }
      options.append((name, ""))
      return
    }
    guard let text = attached ?? rest.popFirst() else {
      throw UsageError("--\(name) needs a value: --\(name) \(value.placeholder)")
    }
    try append(text, to: option, value)
  }

  private mutating func parseLetters(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = accepted.first(where: { $0.letter == letter }) else {
        throw unknown("-\(letter)")
      }
      guard let value = option.value else {
        options.append((option.name, ""))
        continue
      }
      let attached = letters.isEmpty ? nil : String(letters)
      guard let text = attached ?? rest.popFirst() else {
        throw UsageError("-\(letter) needs a value: -\(letter) \(value.placeholder)")
      }
      try append(text, to: option, value)
      return
    }
  }

  private mutating func append(_ text: String, to option: Option, _ value: Option.Value) throws(UsageError) {
    if case .choices(let choices) = value.completion, !choices.contains(text) {
      throw UsageError(
        "--\(option.name) takes one of \(choices.joined(separator: ", ")), not '\(text)'"
          + Suggestion.text(for: text, among: choices))
    }
    options.append((option.name, text))
  }

  private mutating func parseOperand(_ word: String) throws(UsageError) {
    let current = commands[commands.count - 1]
    guard !current.commands.isEmpty else {
      operands.append(word)
      return
    }
    guard let next = current.commands.first(where: { $0.name == word }) else {
      throw UsageError(
        "unknown command '\(word)'" + Suggestion.text(for: word, among: current.commands.map(\.name)))
    }
    commands.append(next)
  }

  private func checkOperandCount() throws(UsageError) {
    let current = commands[commands.count - 1]
    if let missing = current.commands.first {
      throw UsageError("a command is missing, such as '\(missing.name)'")
    }
    var needed = 0
    var allowed: Int? = 0
    for operand in current.operands {
      if operand.count == .one || operand.count == .some { needed += 1 }
      if operand.count == .any || operand.count == .some { allowed = nil }
      allowed = allowed.map { $0 + 1 }
    }
    if operands.count < needed {
      let missing = current.operands.filter { $0.count == .one || $0.count == .some }[operands.count]
      throw UsageError("\(missing.placeholder) is missing")
    }
    if let allowed, operands.count > allowed {
      throw UsageError("unexpected argument '\(operands[allowed])'")
    }
  }

  private func unknown(_ word: String) -> UsageError {
    // An option of another verb is told from a slip of the keyboard.
    let elsewhere = commands[0].commands.filter { command in
      command.options.contains { "--\($0.name)" == word }
    }
    if !elsewhere.isEmpty {
      let names = elsewhere.map { "'\($0.name)'" }.joined(separator: ", ")
      return UsageError("\(word) is an option of \(names), not of '\(commands[commands.count - 1].name)'")
    }
    let names = accepted.map { "--\($0.name)" }
    return UsageError("unknown option '\(word)'" + Suggestion.text(for: word, among: names))
  }
}
