/// A regular expression as instructions for an automaton that is in several places at once (K. Thompson,
/// "Regular expression search algorithm", 1968).
struct RegularExpressionProgram: Sendable {
  typealias Node = RegularExpressionNode

  enum Instruction: Sendable, Equatable {
    /// Takes a code point of this class, and goes on with the next instruction.
    case take(class: UInt16)
    /// Takes a code point of this set.
    case takeOne(of: UInt16)
    /// Goes on with the next instruction and with the one there.
    case split(Int)
    case jump(Int)
    /// Goes on where it holds.
    case assert(Node.Assertion)
    case match
  }

  private(set) var instructions: [Instruction] = []
  let classes: ScalarClasses
  /// What the pattern asks for; the rest need not be looked at.
  private(set) var assertions: Set<Node.Assertion> = []
  /// Of the set of word characters, where there are word boundaries.
  let wordSet: Int?

  /// The caller sees to the limits of `RegularExpression`.
  init(_ root: Node) {
    var alphabet = Alphabet()
    alphabet.collect(root)
    if root.asksForWords {
      wordSet = alphabet.number(of: ScalarProperties.wordCharacters)
    } else {
      wordSet = nil
    }
    classes = ScalarClasses(sets: alphabet.sets, literals: alphabet.literals)
    write(root, alphabet)
    instructions.append(.match)
  }

  private mutating func write(_ node: Node, _ alphabet: Alphabet) {
    switch node {
    case .empty: break
    case .text(let scalars):
      for scalar in scalars { instructions.append(.take(class: classes.number(of: scalar))) }
    case .one(let set):
      if let scalar = set.single {
        instructions.append(.take(class: classes.number(of: scalar)))
      } else {
        instructions.append(.takeOne(of: UInt16(alphabet.numbers[set] ?? 0)))
      }
    case .sequence(let parts): for part in parts { write(part, alphabet) }
    case .alternatives(let parts): write(alternatives: parts, alphabet)
    case .repeated(let node, let minimum, let maximum):
      write(repeated: node, minimum: minimum, maximum: maximum, alphabet)
    case .assertion(let assertion):
      assertions.insert(assertion)
      instructions.append(.assert(assertion))
    }
  }

  private mutating func write(alternatives parts: [Node], _ alphabet: Alphabet) {
    var ends: [Int] = []
    for part in parts.dropLast() {
      let split = instructions.count
      instructions.append(.match)
      write(part, alphabet)
      ends.append(instructions.count)
      instructions.append(.match)
      instructions[split] = .split(instructions.count)
    }
    if let last = parts.last { write(last, alphabet) }
    for end in ends { instructions[end] = .jump(instructions.count) }
  }

  private mutating func write(repeated node: Node, minimum: Int, maximum: Int?, _ alphabet: Alphabet) {
    var start = instructions.count
    for _ in 0..<minimum {
      start = instructions.count
      write(node, alphabet)
    }
    if let maximum {
      var splits: [Int] = []
      for _ in minimum..<maximum {
        splits.append(instructions.count)
        instructions.append(.match)
        write(node, alphabet)
      }
      for split in splits { instructions[split] = .split(instructions.count) }
    } else if minimum > 0 {
      instructions.append(.split(start))
    } else {
      instructions.append(.match)
      write(node, alphabet)
      instructions.append(.jump(start))
      instructions[start] = .split(instructions.count)
    }
  }
}

/// The different sets of an expression, and its single code points.
struct Alphabet {
  private(set) var sets: [ScalarSet] = []
  private(set) var numbers: [ScalarSet: Int] = [:]
  private(set) var literals: Set<UInt32> = []

  mutating func collect(_ node: RegularExpressionNode) {
    switch node {
    case .empty, .assertion: break
    case .text(let scalars): literals.formUnion(scalars)
    case .one(let set): if let scalar = set.single { literals.insert(scalar) } else { _ = number(of: set) }
    case .sequence(let parts), .alternatives(let parts): for part in parts { collect(part) }
    case .repeated(let node, _, _): collect(node)
    }
  }

  mutating func number(of set: ScalarSet) -> Int {
    if let number = numbers[set] { return number }
    numbers[set] = sets.count
    sets.append(set)
    return sets.count - 1
  }
}

extension RegularExpressionNode {
  fileprivate var asksForWords: Bool {
    switch self {
    case .assertion(let assertion): assertion == .wordBoundary || assertion == .noWordBoundary
    case .sequence(let parts), .alternatives(let parts): parts.contains(where: \.asksForWords)
    case .repeated(let node, _, _): node.asksForWords
    case .empty, .text, .one: false
    }
  }
}
