/// The manual page of a program, as roff with the `man` macros (see man(7)).
public struct ManualPage: Sendable {
  public let command: Command
  /// The manual's section: 1 for programs, 8 for services.
  public let section: Int
  /// Named at the foot of the page, such as `Lists 0.1`.
  public let source: String
  /// Other pages, such as `listsd(8)`.
  public let seeAlso: [String]

  public init(_ command: Command, section: Int, source: String, seeAlso: [String] = []) {
    self.command = command
    self.section = section
    self.source = source
    self.seeAlso = seeAlso
  }

  /// The whole page; the same table gives the same bytes.
  public var text: String {
    var lines = [
      ".\\\" Made from the program's command table; change it there.",
      ".TH \(command.name.uppercased()) \(section) \"\" \"\(source)\" \"\"",
      ".SH NAME",
      "\(escape(command.name)) \\- \(escape(lowercasedFirst(command.summary)))",
      ".SH SYNOPSIS",
    ]
    let leaves = command.commands.isEmpty ? [[command]] : command.commands.map { [command, $0] }
    for (index, path) in leaves.enumerated() {
      if index > 0 { lines.append(".br") }
      lines.append(synopsis(path))
    }
    lines.append(".SH DESCRIPTION")
    lines += paragraphs(command.discussion.isEmpty ? [command.summary + "."] : command.discussion)
    if !command.commands.isEmpty {
      lines.append(".SH COMMANDS")
      for verb in command.commands { lines += part(verb) }
    }
    lines += arguments(of: command)
    lines.append(".SH OPTIONS")
    for option in command.options + [.help, .version] { lines += entry(option) }
    for section in command.sections {
      lines.append(".SH " + escape(section.title.uppercased()))
      for entry in section.entries {
        lines += [".TP", ".B " + escape(entry.term), line(entry.meaning)]
      }
    }
    lines += examples(of: command, header: ".SH EXAMPLES")
    if !seeAlso.isEmpty {
      lines.append(".SH SEE ALSO")
      lines.append(seeAlso.map(escape).joined(separator: ", "))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func part(_ verb: Command) -> [String] {
    var lines = [".SS " + escape(HelpText(commands: [verb], columns: 80).usage)]
    lines += paragraphs([verb.summary + "."] + verb.discussion)
    lines += arguments(of: verb)
    for option in verb.options { lines += entry(option) }
    lines += examples(of: verb, header: nil)
    return lines
  }

  private func arguments(of command: Command) -> [String] {
    command.operands.flatMap { operand in
      [".TP", ".I " + escape(operand.placeholder), line(operand.help + ".")]
    }
  }

  private func entry(_ option: Option) -> [String] {
    var head = option.letter.map { "\\fB\\-\(escape(String($0)))\\fR, " } ?? ""
    head += "\\fB\\-\\-\(escape(option.name))\\fR"
    if let value = option.value { head += " \\fI\(escape(value.placeholder))\\fR" }
    return [".TP", head, line(option.help + ".")]
  }

  private func examples(of command: Command, header: String?) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    var lines = header.map { [$0] } ?? []
    for example in command.examples {
      lines += [".PP", line(example.meaning + ":"), ".PP", ".nf", ".RS", line(example.line), ".RE", ".fi"]
    }
    return lines
  }

  private func synopsis(_ path: [Command]) -> String {
    var words = path.map { "\\fB\(escape($0.name))\\fR" }
    words.append("[\\fIOPTION\\fR]...")
    words += (path.last?.operands ?? []).map { "\\fI\(escape($0.synopsis))\\fR" }
    return words.joined(separator: " ")
  }

  private func paragraphs(_ texts: [String]) -> [String] {
    texts.flatMap { [".PP", line($0)] }
  }

  /// A text line: a dot or quote at its start would be a macro.
  private func line(_ text: String) -> String {
    let escaped = escape(text)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  private func escape(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
    return result
  }

  private func lowercasedFirst(_ text: String) -> String {
    text.prefix(1).lowercased() + text.dropFirst()
  }
}
