/// A regular expression as a tree.
indirect enum RegularExpressionNode: Sendable, Equatable {
  /// The empty text.
  case empty
  /// These code points one after another.
  case text([UInt32])
  /// One code point.
  case one(of: ScalarSet)
  case sequence([RegularExpressionNode])
  case alternatives([RegularExpressionNode])
  /// `maximum` nil: any number.
  case repeated(RegularExpressionNode, minimum: Int, maximum: Int?)
  case assertion(Assertion)

  /// What holds between two code points.
  enum Assertion: UInt8, Sendable, CaseIterable {
    case textStart
    case textEnd
    /// Or before the line terminator that ends the text.
    case lastLineEnd
    case lineStart
    case lineEnd
    case wordBoundary
    case noWordBoundary
  }

  /// The instructions that it takes, nothing left out; a large number where it would be larger.
  var size: Int {
    switch self {
    case .empty: return 0
    case .text(let scalars): return scalars.count
    case .one, .assertion: return 1
    case .sequence(let parts): return parts.reduce(0) { Self.bounded($0 + $1.size) }
    case .alternatives(let parts):
      return parts.reduce(2 * (parts.count - 1)) { Self.bounded($0 + $1.size) }
    case .repeated(let node, let minimum, let maximum):
      return Self.size(ofRepeated: node.size, minimum: minimum, maximum: maximum)
    }
  }

  static func size(ofRepeated size: Int, minimum: Int, maximum: Int?) -> Int {
    guard size > 0 else { return 0 }
    if let maximum {
      return bounded(multiplied(size, minimum) + multiplied(size + 1, maximum - minimum))
    }
    return bounded(minimum == 0 ? size + 2 : multiplied(size, minimum) + 1)
  }

  private static func bounded(_ size: Int) -> Int { min(size, 1 << 40) }

  private static func multiplied(_ size: Int, _ count: Int) -> Int {
    let (product, isTooLarge) = size.multipliedReportingOverflow(by: count)
    return isTooLarge ? 1 << 40 : bounded(product)
  }
}
