/// What stands on the right of WITHIN.
extension PredicateParser {
  /// `BOX(southwest, northeast)` of two locations, or `BOX(south, west, north, east)` in degrees.
  mutating func region() throws(PredicateSyntaxError) -> Predicate.Expression {
    let start = token.offset
    guard take("BOX"), token.kind == .sign(.openParenthesis) else {
      throw .init(at: start, expected: "BOX(southwest, northeast)")
    }
    return .box(try box(at: start))
  }

  private mutating func box(at start: Int) throws(PredicateSyntaxError) -> LocationBox {
    try enter()
    var corners: [Location] = []
    var degrees: [Double] = []
    repeat {
      let offset = token.offset
      switch try value(expected: "a location") {
      case .value(.location(let corner)) where degrees.isEmpty && corners.count < 2: corners.append(corner)
      case .value(.double(let number)) where corners.isEmpty && degrees.count < 4: degrees.append(number)
      case .value(.int64(let number)) where corners.isEmpty && degrees.count < 4:
        degrees.append(Double(number))
      default:
        throw .init(
          at: offset,
          expected: "two locations, southwest and northeast, or south, west, north, east in degrees")
      }
    } while take(.comma)
    guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ", or )") }
    nesting -= 1
    if degrees.count == 4 {
      corners = [(0, 1), (2, 3)].compactMap { Location(latitude: degrees[$0], longitude: degrees[$1]) }
    }
    guard corners.count == 2, let box = LocationBox(southwest: corners[0], northeast: corners[1]) else {
      throw .init(
        at: start,
        expected: "a south that is not above the north, latitudes -90 to 90, longitudes -180 to 180",
        problem: "this is no box")
    }
    return box
  }
}
