/// The text of `--help`.
struct HelpText {
  /// The program and the verbs down to the one that is explained.
  let commands: [Command]
  /// The width to lay out for.
  let columns: Int

  var text: String {
    guard let command = commands.last else { return "" }
    var lines: [String] = ["Usage: " + usage, ""]
    lines += wrapped(command.summary + ".", indent: 0)
    for paragraph in command.discussion {
      lines.append("")
      lines += wrapped(paragraph, indent: 0)
    }
    lines += list("Commands", command.commands.map { ($0.name, $0.summary) })
    lines += list("Arguments", command.operands.map { ($0.placeholder, $0.help) })
    lines += list("Options", (command.options + ownOptions).map { ($0.synopsis, $0.help) })
    let common = commands.dropLast().flatMap(\.options)
    lines += list("Common options", common.map { ($0.synopsis, $0.help) })
    if !command.examples.isEmpty {
      lines += ["", "Examples:"]
      for example in command.examples {
        lines += wrapped(example.meaning + ":", indent: 2)
        lines.append("      " + example.line)
      }
    }
    for section in command.sections {
      lines += list(section.title, section.entries.map { ($0.term, $0.meaning) })
    }
    if !command.commands.isEmpty {
      lines += ["", "'\(command.name) COMMAND --help' says more of one command."]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `listsrpc save [OPTION]... TYPE [KEY=VALUE]...`
  var usage: String {
    var words = commands.map(\.name)
    guard let command = commands.last else { return "" }
    words.append("[OPTION]...")
    words += command.operands.map(\.synopsis)
    if !command.commands.isEmpty { words.append("COMMAND") }
    return words.joined(separator: " ")
  }

  private var ownOptions: [Option] {
    commands.count == 1 ? [.help, .version] : [.help]
  }

  private func list(_ title: String, _ entries: [(term: String, meaning: String)]) -> [String] {
    guard !entries.isEmpty else { return [] }
    let widest = entries.map(\.term.count).filter { $0 <= 26 }.max() ?? 0
    let indent = 2 + widest + 2
    var lines = ["", title + ":"]
    for (term, meaning) in entries {
      var text = wrapped(meaning, indent: indent)
      let head = "  " + term
      if term.count <= widest, let first = text.first {
        text[0] = head + first.dropFirst(head.count)
      } else {
        text.insert(head, at: 0)
      }
      lines += text
    }
    return lines
  }

  /// Lines of at most `columns` characters, each after `indent` spaces; words are never broken.
  private func wrapped(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > max(columns, indent + 24) {
        lines.append(margin + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty || lines.isEmpty { lines.append(margin + line) }
    return lines
  }
}

extension Option {
  /// `-n, --limit NUMBER`
  var synopsis: String {
    var text = letter.map { "-\($0), " } ?? "    "
    text += "--" + name
    if let value { text += " " + value.placeholder }
    return text
  }
}

extension Operand {
  /// `TYPE`, `[TYPE]`, `[TYPE]...` or `TYPE...`
  var synopsis: String {
    switch count {
    case .one: placeholder
    case .optional: "[\(placeholder)]"
    case .any: "[\(placeholder)]..."
    case .some: "\(placeholder)..."
    }
  }
}
