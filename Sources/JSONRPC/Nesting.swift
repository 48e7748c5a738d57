/// The brackets that are open: one bit a level, and no memory of its own down to level 64.
///
/// Both the scanner and the framer keep their place with this instead of recursion, so the depth of a
/// text never touches the thread's stack.
struct Nesting: Sendable {
  private(set) var depth = 0
  /// The innermost (up to) 64 levels, innermost in the lowest bit: 1 is an object.
  private var innermost: UInt64 = 0
  /// Full words of 64 levels each, outermost first.
  private var outer: [UInt64] = []

  /// Whether the innermost open bracket is a brace. Meaningless at depth 0.
  @inline(__always)
  var isInObject: Bool { innermost & 1 == 1 }

  @inline(__always)
  mutating func open(object: Bool) {
    if depth & 63 == 0 && depth > 0 { outer.append(innermost) }
    innermost = innermost << 1 | (object ? 1 : 0)
    depth += 1
  }

  @inline(__always)
  mutating func close() {
    depth -= 1
    innermost >>= 1
    if depth & 63 == 0 && depth > 0 { innermost = outer.removeLast() }
  }

  mutating func closeAll() {
    self = Nesting()
  }
}
