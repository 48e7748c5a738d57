/// What stands on the right of WITHIN.
extension PredicateParser {
  /// `BOX(southwest, northeast)` of two locations, or `BOX(south, west, north, east)` in degrees;
  /// `POLYGON(corner, corner, corner, …)` of locations, of lists of them, or of latitudes and longitudes in turn.
  mutating func region() throws(PredicateSyntaxError) -> Predicate.Expression {
    let start = token.offset
    let isBox = take("BOX")
    guard isBox || take("POLYGON"), token.kind == .sign(.openParenthesis) else {
      throw .init(at: start, expected: "BOX(southwest, northeast) or POLYGON(corner, corner, corner, …)")
    }
    let corners = try corners(
      expected: isBox
        ? "two locations, southwest and northeast, or south, west, north, east in degrees"
        : "locations, a list of them, or latitudes and longitudes in degrees",
      maximum: isBox ? 2 : LocationPolygon.maximumCorners)
    return isBox ? .box(try Self.box(corners, at: start)) : .polygon(try Self.polygon(corners, at: start))
  }

  private static func box(_ corners: [Location], at start: Int) throws(PredicateSyntaxError) -> LocationBox {
    guard corners.count == 2, let box = LocationBox(southwest: corners[0], northeast: corners[1]) else {
      throw .init(
        at: start,
        expected: "a south that is not above the north, latitudes -90 to 90, longitudes -180 to 180",
        problem: "this is no box")
    }
    return box
  }

  private static func polygon(
    _ corners: [Location], at start: Int
  ) throws(PredicateSyntaxError) -> LocationPolygon {
    guard let polygon = LocationPolygon(corners: corners) else {
      throw .init(
        at: start,
        expected:
          "at least three different corners, not on one line, latitudes -90 to 90, longitudes -180 to 180",
        problem: "this is no polygon")
    }
    return polygon
  }

  /// What stands in the parentheses; empty when the numbers are no places.
  private mutating func corners(
    expected: String, maximum: Int
  ) throws(PredicateSyntaxError) -> [Location] {
    try enter()
    var corners: [Location] = []
    var degrees: [Double] = []
    repeat {
      let offset = token.offset
      switch try value(expected: expected) {
      case .value(.location(let corner)) where degrees.isEmpty: corners.append(corner)
      case .list(let elements) where degrees.isEmpty && maximum > 2:
        for element in elements {
          guard case .value(.location(let corner)) = element else {
            throw .init(at: offset, expected: expected)
          }
          corners.append(corner)
        }
      case .value(.double(let number)) where corners.isEmpty: degrees.append(number)
      case .value(.int64(let number)) where corners.isEmpty: degrees.append(Double(number))
      default: throw .init(at: offset, expected: expected)
      }
      guard corners.count <= maximum, degrees.count <= 2 * maximum else {
        throw .init(at: offset, expected: "at most \(maximum) corners")
      }
    } while take(.comma)
    guard take(.closeParenthesis) else { throw .init(at: token.offset, expected: ", or )") }
    nesting -= 1
    guard degrees.count % 2 == 0 else { return [] }
    for index in stride(from: 0, to: degrees.count, by: 2) {
      guard let corner = Location(latitude: degrees[index], longitude: degrees[index + 1]) else { return [] }
      corners.append(corner)
    }
    return corners
  }
}
