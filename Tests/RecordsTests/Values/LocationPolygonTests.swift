import Testing

@testable import Records

struct LocationPolygonTests {
  typealias Place = (latitude: Double, longitude: Double)

  private func make(_ corners: [Place]) -> LocationPolygon? {
    LocationPolygon(corners: corners.map { Location(inRange: $0.latitude, longitude: $0.longitude) })
  }

  private func expect(
    _ corners: [Place], contains inside: [Place], notThese outside: [Place],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // The same in the other direction and from another corner.
    let turned = Array(corners[1...] + corners[..<1])
    for corners in [corners, corners.reversed(), turned, corners + [corners[0]]] {
      let polygon = try #require(make(corners), sourceLocation: sourceLocation)
      for place in inside {
        let location = Location(inRange: place.latitude, longitude: place.longitude)
        #expect(polygon.contains(location), "\(place)", sourceLocation: sourceLocation)
        #expect(polygon.boundingBox.contains(location), "\(place)", sourceLocation: sourceLocation)
      }
      for place in outside {
        let location = Location(inRange: place.latitude, longitude: place.longitude)
        #expect(!polygon.contains(location), "\(place)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("a triangle holds its inside, its edges and its corners")
  func triangle() throws {
    try expect(
      [(0, 0), (10, 0), (0, 10)],
      contains: [(1, 1), (0, 0), (10, 0), (0, 10), (5, 0), (0, 5), (5, 5), (3.3, 6.7), (0.1, 9.9)],
      notThese: [(5.001, 5), (-0.001, 5), (5, -0.001), (10.001, 0), (0, 10.001), (-10, 180), (90, 0)])
  }

  @Test("a meridian through a corner crosses the edge there once")
  func meridianThroughCorners() throws {
    try expect(
      [(0, 0), (5, 5), (0, 10), (-5, 5)], contains: [(0, 5), (4.9, 5), (5, 5), (-5, 5), (0, 9.9)],
      notThese: [(6, 5), (-6, 5), (1, 0), (1, 10), (0, -1), (0, 11)])
  }

  @Test("a notch is outside")
  func notch() throws {
    try expect(
      [(0, 0), (10, 0), (2, 5), (10, 10), (0, 10)], contains: [(1, 5), (2, 5), (5, 1), (5, 9)],
      notThese: [(3, 5), (9, 5)])
  }

  @Test("where edges cross, every second part is inside")
  func crossedEdges() throws {
    try expect(
      [(0, 0), (10, 10), (10, 0), (0, 10)], contains: [(9, 5), (1, 5), (5, 5)], notThese: [(5, 2), (5, 8)])
  }

  @Test("edges go the shorter way, so a polygon may lie across longitude 180")
  func acrossTheDateLine() throws {
    try expect(
      [(-10, 170), (10, 170), (10, -170), (-10, -170)],
      contains: [(0, 180), (0, -180), (0, 175), (0, -175), (10, 180), (10, -180), (0, 170), (0, -170)],
      notThese: [(0, 0), (0, 169), (0, -169), (11, 180), (11, -180), (90, 0)])
    try expect(
      [(-10, 180), (10, -180), (0, 170)], contains: [(0, 180), (0, -180), (0, 171), (5, 180)],
      notThese: [(0, -179), (0, 169), (11, 180)])
  }

  @Test("edges half a turn long go the way that doesn't cross longitude 180")
  func halfATurn() throws {
    try expect([(0, -90), (0, 90), (10, 0)], contains: [(1, 0), (0, 0)], notThese: [(1, 180), (0, 180)])
  }

  @Test("edges to a pole follow meridians")
  func cornerAtPole() throws {
    try expect(
      [(0, 0), (0, 90), (90, 33)],
      contains: [(45, 45), (90, 0), (90, -120), (89, 1), (80, 0), (80, 90), (0, 45)],
      notThese: [(89, -1), (89, 91), (-1, 45), (-90, 0)])
    try expect(
      [(0, 170), (-90, 0), (0, -170)], contains: [(-90, 5), (-89, 180), (-50, 175), (0, 180)],
      notThese: [(-89, 0), (-89, 169), (1, 180), (90, 0)])
  }

  @Test("edges all round the Earth enclose the pole that they are nearer to")
  func aroundAPole() throws {
    try expect(
      [(70, 0), (70, 120), (70, -120)],
      contains: [(90, 0), (90, 55), (80, 10), (70, 60), (70, 180), (71, -180)],
      notThese: [(69, 0), (-90, 0), (-80, 0), (0, 180)])
    try expect(
      [(-70, 0), (-60, 120), (-70, -120)], contains: [(-90, 0), (-80, 10), (-65, 60), (-80, 180)],
      notThese: [(-59, 120), (90, 0), (80, 0), (0, 180)])
    // With a corner at the pole it is that one, and a sector is left out.
    try expect(
      [(90, 0), (-10, 0), (-10, 120), (-10, -120)], contains: [(90, 0), (0, 60), (0, 180), (-10, 0)],
      notThese: [(0, -60), (80, -60), (-11, 60), (-90, 0)])
  }

  @Test("what encloses nothing is no polygon")
  func degenerate() {
    #expect(make([]) == nil)
    #expect(make([(0, 0), (1, 1)]) == nil)
    #expect(make([(0, 0), (1, 1), (0, 0)]) == nil)
    #expect(make([(0, 0), (1, 1), (2, 2)]) == nil)
    #expect(make([(0, 180), (5, -180), (9, 180)]) == nil)
    #expect(make([(0, 10), (90, 20), (50, 10)]) == nil)
    #expect(make([(90, 0), (90, 10), (90, 20), (0, 0)]) == nil)
    #expect(make((0...1000).map { (Double($0 % 2), Double($0) / 10) }) == nil)
    #expect(make((0..<1000).map { (Double($0 % 2), Double($0) / 10) }) != nil)
  }

  @Test("a box given by its corners holds what the box holds", arguments: [1, 2] as [UInt64])
  func agreesWithBoxes(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let south = Double.random(in: -89...80, using: &generator)
      let north = Double.random(in: south + 0.5...89.5, using: &generator)
      let west = Double(Int.random(in: -180...180, using: &generator))
      let width = Double(Int.random(in: 1...179, using: &generator))
      let east = (west + width).remainder(dividingBy: 360)
      let polygon = try #require(make([(south, west), (south, east), (north, east), (north, west)]))
      let box = try #require(
        LocationBox(
          southwest: Location(inRange: south, longitude: west),
          northeast: Location(inRange: north, longitude: east)))
      for _ in 0..<40 {
        let place = Location.random(using: &generator)
        #expect(polygon.contains(place) == box.contains(place), "\(polygon.corners) \(place)")
        if polygon.contains(place) { #expect(polygon.boundingBox.contains(place)) }
      }
    }
  }

  @Test("the bounding box holds every place of a random polygon", arguments: [1, 2] as [UInt64])
  func boundingBox(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var inside = 0
    for _ in 0..<300 {
      let corners = (0..<Int.random(in: 3...8, using: &generator)).map { _ in
        Location.random(using: &generator)
      }
      guard let polygon = LocationPolygon(corners: corners) else { continue }
      for corner in corners { #expect(polygon.contains(corner), "\(corners)") }
      for corner in corners { #expect(polygon.boundingBox.contains(corner), "\(corners)") }
      for _ in 0..<40 where polygon.contains(.random(using: &generator)) { inside += 1 }
    }
    #expect(inside > 500)
  }
}
