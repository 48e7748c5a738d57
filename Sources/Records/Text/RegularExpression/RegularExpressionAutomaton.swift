/// Goes through texts with a program: in all places that the pattern could be in at once, so that a code point
/// costs no more than one visit of each instruction.
///
/// Sets of places that were come to are kept as states, with the state that each class of code points leads to,
/// so that mostly a code point costs one look into a table. The table is bounded and begun anew when it is full.
struct RegularExpressionAutomaton {
  typealias Program = RegularExpressionProgram
  typealias Assertion = RegularExpressionNode.Assertion

  private static let maximumStates = 256
  private static let maximumTransitions = 1 << 16
  /// With more classes a table of transitions would be begun anew too often to be worth it.
  private static let maximumClasses = 512

  /// One bit for each instruction that has been gone on to and not yet followed.
  private typealias Places = [UInt64]

  private let program: Program
  private var states: [Places] = []
  private var numbers: [Places: Int32] = [:]
  /// By state and class: the next state, or ``unknown``.
  private var transitions: [Int32] = []
  private static let unknown: Int32 = -1
  /// Of a state's transitions; 0 where none are kept.
  private let width: Int

  // What a step works with, kept so that it allocates nothing.
  private var reached: Places
  private var visited: Places
  private var pending: [Int] = []

  /// Instructions looked at and transitions taken, since it was made; for tests.
  private(set) var steps = 0

  /// Instructions of the program.
  var size: Int { program.instructions.count }

  init(_ program: Program) {
    self.program = program
    width = program.classes.count <= Self.maximumClasses ? program.classes.count : 0
    let words = (program.instructions.count + 63) / 64
    reached = Places(repeating: 0, count: words)
    visited = reached
  }

  /// Whether the whole text, valid UTF-8, is one that the program describes.
  mutating func matches(_ text: Span<UInt8>) -> Bool {
    let context = RegularExpressionContext(program, text)
    var start = Places(repeating: 0, count: reached.count)
    start[0] = 1
    var state = number(of: start)
    var position = 0
    var before: UInt16?
    while position < text.count {
      let offset = position
      let next = program.classes.number(of: text.scalar(at: &position))
      let holding = context.holding(in: text, at: offset, after: before, before: next)
      before = next
      let known = holding.isEmpty && width > 0 ? transitions[Int(state) * width + Int(next)] : Self.unknown
      if known != Self.unknown {
        steps += 1
        state = known
      } else {
        state = follow(state, next, holding)
      }
      // Nowhere: no text that goes on so is described.
      if state == 0 { return false }
    }
    return reachesEnd(state, context.holding(in: text, at: position, after: before, before: nil))
  }

  // MARK: States

  /// State 0 is the empty set of places.
  private mutating func number(of places: Places) -> Int32 {
    if let number = numbers[places] { return number }
    let isFull =
      states.count >= Self.maximumStates
      || (states.count + 1) * width > Self.maximumTransitions
    if isFull {
      states.removeAll(keepingCapacity: true)
      numbers.removeAll(keepingCapacity: true)
      transitions.removeAll(keepingCapacity: true)
    }
    if states.isEmpty { add(Places(repeating: 0, count: reached.count)) }
    return numbers[places] ?? add(places)
  }

  @discardableResult
  private mutating func add(_ places: Places) -> Int32 {
    let number = Int32(states.count)
    states.append(places)
    numbers[places] = number
    transitions.append(contentsOf: repeatElement(Self.unknown, count: width))
    return number
  }

  /// The state that a code point of a class leads to.
  private mutating func follow(_ state: Int32, _ next: UInt16, _ holding: AssertionSet) -> Int32 {
    for index in reached.indices { reached[index] = 0 }
    let members = program.classes.members[Int(next)]
    visit(state, holding) { instruction in
      switch instruction {
      case .take(let expected): expected == next
      case .takeOne(let set): members[Int(set) / 64] >> UInt64(set % 64) & 1 != 0
      default: false
      }
    }
    let stateCount = states.count
    let result = number(of: reached)
    // The table may have been begun anew, and then the state is gone.
    if holding.isEmpty, width > 0, states.count >= stateCount {
      transitions[Int(state) * width + Int(next)] = result
    }
    return result
  }

  private mutating func reachesEnd(_ state: Int32, _ holding: AssertionSet) -> Bool {
    for index in reached.indices { reached[index] = 0 }
    return visit(state, holding) { _ in false }
  }

  /// Goes on from all places of a state as far as no code point is taken. Where one is taken the instruction
  /// behind is put into `reached`. Whether the end of the program is among the places.
  @discardableResult
  private mutating func visit(
    _ state: Int32, _ holding: AssertionSet, takes: (Program.Instruction) -> Bool
  ) -> Bool {
    for index in visited.indices { visited[index] = 0 }
    pending.removeAll(keepingCapacity: true)
    let places = states[Int(state)]
    for (word, bits) in places.enumerated() {
      var bits = bits
      while bits != 0 {
        pending.append(word * 64 + bits.trailingZeroBitCount)
        bits &= bits - 1
      }
    }
    var isAtEnd = false
    while let place = pending.popLast() {
      let bit: UInt64 = 1 << UInt64(place % 64)
      if visited[place / 64] & bit != 0 { continue }
      visited[place / 64] |= bit
      steps += 1
      let instruction = program.instructions[place]
      switch instruction {
      case .match: isAtEnd = true
      case .jump(let target): pending.append(target)
      case .split(let target):
        pending.append(target)
        pending.append(place + 1)
      case .assert(let assertion): if holding.holds(assertion) { pending.append(place + 1) }
      case .take, .takeOne:
        if takes(instruction) { reached[(place + 1) / 64] |= 1 << UInt64((place + 1) % 64) }
      }
    }
    return isAtEnd
  }
}
