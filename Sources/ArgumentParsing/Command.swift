/// A program, or one verb of it, as a table: what it takes, and what people are told of it.
///
/// Parsing, `--help`, the manual page and the shell completions are all made from this one value, so
/// that none of them can say something else than the others.
public struct Command: Sendable {
  /// The program's or verb's name as typed.
  public var name: String
  /// One line without a full stop, in the imperative: "Save a record".
  public var summary: String
  /// Paragraphs for `--help` and the manual page.
  public var discussion: [String]
  /// The options of this command; those of the commands above it are accepted as well.
  public var options: [Option]
  /// What is given without a leading dash, in order.
  public var operands: [Operand]
  /// The verbs below this command; a command that has some takes no operands of its own.
  public var commands: [Command]
  public var examples: [Example]
  /// Further parts of the manual page (exit status, environment, files), in order.
  public var sections: [Section]

  public init(
    _ name: String, _ summary: String, discussion: [String] = [], options: [Option] = [],
    operands: [Operand] = [], commands: [Command] = [], examples: [Example] = [], sections: [Section] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.options = options
    self.operands = operands
    self.commands = commands
    self.examples = examples
    self.sections = sections
  }

  /// A command line worth showing and what it does.
  public struct Example: Sendable {
    public var line: String
    public var meaning: String

    public init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  /// A titled list of terms and their meanings.
  public struct Section: Sendable {
    public var title: String
    public var entries: [Entry]

    public init(_ title: String, _ entries: [Entry]) {
      self.title = title
      self.entries = entries
    }
  }

  /// A term (an exit status, a variable, a path) and its meaning.
  public struct Entry: Sendable {
    public var term: String
    public var meaning: String

    public init(_ term: String, _ meaning: String) {
      self.term = term
      self.meaning = meaning
    }
  }
}

/// An option: `--name`, `--name VALUE` or `--name=VALUE`, with a one-letter form where one is worth it.
public struct Option: Sendable {
  /// The long name without its dashes.
  public var name: String
  /// The letter after a single dash.
  public var letter: Character?
  /// What the option takes; nil for a flag.
  public var value: Value?
  /// A sentence without a full stop.
  public var help: String
  /// It may be given several times, and every value counts. Otherwise the last one does.
  public var isRepeatable: Bool

  /// A flag.
  public init(_ name: String, letter: Character? = nil, _ help: String) {
    self.name = name
    self.letter = letter
    self.value = nil
    self.help = help
    self.isRepeatable = false
  }

  /// An option that takes a value, for which `placeholder` (in capitals) stands in help texts.
  public init(
    _ name: String, letter: Character? = nil, takes placeholder: String,
    completion: Completion = .nothing, _ help: String, isRepeatable: Bool = false
  ) {
    self.name = name
    self.letter = letter
    self.value = Value(placeholder, completion: completion)
    self.help = help
    self.isRepeatable = isRepeatable
  }

  /// The placeholder of a value and what completes it.
  public struct Value: Sendable {
    /// The word that stands for the value in help texts, in capitals.
    public var placeholder: String
    public var completion: Completion

    public init(_ placeholder: String, completion: Completion = .nothing) {
      self.placeholder = placeholder
      self.completion = completion
    }
  }
}

/// What a shell offers for a value.
public enum Completion: Sendable, Equatable {
  case nothing
  case file
  case directory
  /// The name of a program.
  case program
  /// One of these words; the parser refuses any other.
  case choices([String])
}

/// An argument that is no option.
public struct Operand: Sendable {
  /// The word that stands for it in help texts, in capitals.
  public var placeholder: String
  public var help: String
  public var count: Count
  public var completion: Completion

  /// How many arguments an operand takes.
  public enum Count: Sendable {
    case one, optional
    /// None or more; only for the last operand.
    case any
    /// One or more; only for the last operand.
    case some
  }

  public init(_ placeholder: String, _ help: String, count: Count = .one, completion: Completion = .nothing) {
    self.placeholder = placeholder
    self.help = help
    self.count = count
    self.completion = completion
  }
}

extension Option {
  /// `--help`, which every command has.
  static let help = Option("help", letter: "h", "Show this help and exit")
  /// `--version`, which the program has.
  static let version = Option("version", "Show the version and exit")
}
