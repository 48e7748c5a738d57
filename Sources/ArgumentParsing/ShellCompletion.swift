/// A shell that completions can be made for.
public enum Shell: String, Sendable, CaseIterable {
  case bash, zsh, fish
}

extension Command {
  /// A script that completes this program's command line; the same table gives the same bytes.
  public func completionScript(for shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletion(program: self).text
    case .zsh: ZshCompletion(program: self).text
    case .fish: FishCompletion(program: self).text
    }
  }

  /// Every option a verb takes, inherited ones last.
  func completedOptions(of verb: Command?) -> [Option] {
    guard let verb else { return options + [.help, .version] }
    return verb.options + options + [.help]
  }
}

/// A word in single quotes for a POSIX shell.
func quoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
