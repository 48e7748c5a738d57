/// Part of the Earth within straight lines from corner to corner, its edges included.
///
/// Straight means in degrees, as on a map whose meridians and parallels form a grid: an edge between two
/// corners of one latitude follows the parallel. An edge goes the shorter way round the Earth, so a polygon
/// may cross longitude 180; between corners exactly half a turn apart it goes the way that doesn't cross it.
///
/// A pole has every longitude, so an edge from or to a corner at a pole follows a meridian. Edges that together
/// go all the way round the Earth enclose a pole: that of a corner, if there is one, else the one that the
/// edges are nearer to on the average, the north pole when they are as near to both.
///
/// Where edges cross, a place is inside if a line from it to the outside crosses edges an odd number of times.
public struct LocationPolygon: Sendable, Equatable {
  /// More are refused, so that a predicate's time stays bounded.
  public static let maximumCorners = 1000

  /// As given.
  public let corners: [Location]
  /// A box that holds the polygon, and little more.
  public let boundingBox: LocationBox

  private let edges: [Edge]
  /// Whether a place is inside if an odd number of edges is to the north of it; else to the south.
  private let isOpenToNorth: Bool
  private let hasNorthPole: Bool
  private let hasSouthPole: Bool

  /// Nil for fewer than three different corners, for more than ``maximumCorners``, and for corners on one
  /// line. The last corner may repeat the first.
  public init?(corners: [Location]) {
    guard corners.count <= Self.maximumCorners else { return nil }
    let outline = Outline(corners)
    guard outline.differentCorners >= 3, !outline.isOneLine else { return nil }
    self.corners = corners
    edges = outline.edges
    let isAllRound = outline.turns % 2 != 0
    let north = outline.cornersAtNorthPole
    let south = outline.cornersAtSouthPole
    let enclosesNorth = isAllRound && (north || !south && outline.averageLatitude >= 0)
    let enclosesSouth = isAllRound && !enclosesNorth
    isOpenToNorth = enclosesSouth
    hasNorthPole = north || enclosesNorth
    hasSouthPole = south || enclosesSouth
    boundingBox = LocationBox(
      enclosingSouth: hasSouthPole ? -90 : outline.south, north: hasNorthPole ? 90 : outline.north,
      west: isAllRound ? -180 : outline.west, east: isAllRound ? 180 : outline.east)
  }

  public static func == (left: LocationPolygon, right: LocationPolygon) -> Bool {
    left.corners == right.corners
  }

  /// Whether the place is inside or on an edge, to a hundredth of a millimetre.
  public func contains(_ location: Location) -> Bool {
    let place = location.normalized
    if place.latitude == 90 { return hasNorthPole }
    if place.latitude == -90 { return hasSouthPole }
    guard boundingBox.contains(place) else { return false }
    var isInside = false
    for edge in edges {
      switch edge.side(of: place) {
      case .on: return true
      case .beside: continue
      case .south: if isOpenToNorth { isInside.toggle() }
      case .north: if !isOpenToNorth { isInside.toggle() }
      }
    }
    return isInside
  }
}

/// From its western to its eastern end, in degrees.
private struct Edge: Sendable {
  let west: Double
  /// Of the western end.
  let latitude: Double
  /// How far east and north the other end is.
  let width: Double
  let height: Double

  enum Side { case north, south, on, beside }

  /// In degrees; what an edge's own rounding stays below.
  private static let tolerance = 1e-10

  init(_ start: Corner, eastward: Double, _ end: Corner) {
    let isEastward = eastward >= 0
    west = isEastward ? start.longitude : end.longitude
    latitude = isEastward ? start.latitude : end.latitude
    width = abs(eastward)
    height = (end.latitude - start.latitude) * (isEastward ? 1 : -1)
  }

  /// Where the place lies on its meridian; beside when the edge doesn't cross that. An edge's eastern end is
  /// taken for the next edge's, so that a meridian through a corner crosses once.
  func side(of place: Location) -> Side {
    let eastward = place.longitude - west
    let distance = eastward < 0 ? eastward + 360 : eastward
    if width == 0 {
      guard distance == 0 else { return .beside }
      let ends = min(latitude, latitude + height)...max(latitude, latitude + height)
      return ends.contains(place.latitude) ? .on : .beside
    }
    guard distance <= width else { return .beside }
    let crossing = latitude + height * (distance / width)
    if abs(place.latitude - crossing) <= Self.tolerance { return .on }
    guard distance < width else { return .beside }
    return place.latitude > crossing ? .north : .south
  }
}

/// A point that edges meet in; at a pole its longitude says by which meridian it is come to.
private struct Corner: Equatable {
  var latitude: Double
  var longitude: Double

  var isPole: Bool { abs(latitude) == 90 }
}

/// What the corners make together.
private struct Outline {
  var edges: [Edge] = []
  /// Times round the Earth, eastward.
  var turns = 0
  var differentCorners: Int
  var isOneLine: Bool
  /// Along the edges, weighted by the longitude that they cover; of use when they go round.
  var averageLatitude = 0.0
  var cornersAtNorthPole: Bool
  var cornersAtSouthPole: Bool
  /// The longitudes are counted on from corner to corner and may be beyond 180.
  var south = 90.0
  var north = -90.0
  var west = Double.infinity
  var east = -Double.infinity

  init(_ places: [Location]) {
    let places = places.map(\.normalized)
    differentCorners = Set(places).count
    cornersAtNorthPole = places.contains { $0.latitude == 90 }
    cornersAtSouthPole = places.contains { $0.latitude == -90 }
    let corners = Self.corners(places)
    var path: [(longitude: Double, latitude: Double)] = []
    var longitude = corners.first?.longitude ?? 0
    for (index, corner) in corners.enumerated() {
      path.append((longitude, corner.latitude))
      let next = corners[(index + 1) % corners.count]
      let eastward = Self.eastward(from: corner.longitude, to: next.longitude)
      edges.append(Edge(corner, eastward: eastward, next))
      averageLatitude += eastward * (corner.latitude + next.latitude) / 2
      longitude += eastward
    }
    let start = corners.first?.longitude ?? 0
    turns = Int(((longitude - start) / 360).rounded())
    if turns < 0 { averageLatitude = -averageLatitude }
    for point in path + [(longitude, path.first?.latitude ?? 0)] {
      south = min(south, point.latitude)
      north = max(north, point.latitude)
      west = min(west, point.longitude)
      east = max(east, point.longitude)
    }
    isOneLine = turns == 0 && Self.isOneLine(path)
  }

  /// Different one after another, a pole twice: with the longitude of the corner before it and behind it.
  private static func corners(_ places: [Location]) -> [Corner] {
    var places = places
    var distinct: [Location] = []
    for place in places where place != distinct.last { distinct.append(place) }
    while distinct.count > 1, distinct.first == distinct.last { distinct.removeLast() }
    places = distinct
    var corners: [Corner] = []
    for (index, place) in places.enumerated() {
      guard abs(place.latitude) == 90 else {
        corners.append(Corner(latitude: place.latitude, longitude: place.longitude))
        continue
      }
      let before = places[(index + places.count - 1) % places.count]
      let after = places[(index + 1) % places.count]
      corners.append(Corner(latitude: place.latitude, longitude: before.longitude))
      corners.append(Corner(latitude: place.latitude, longitude: after.longitude))
    }
    return corners
  }

  /// Degrees to the east by the shorter way, negative to the west.
  private static func eastward(from start: Double, to end: Double) -> Double {
    let plain = end - start
    return plain > 180 ? plain - 360 : plain < -180 ? plain + 360 : plain
  }

  private static func isOneLine(_ path: [(longitude: Double, latitude: Double)]) -> Bool {
    guard let start = path.first, let other = path.first(where: { $0 != start }) else { return true }
    return path.allSatisfy {
      (other.longitude - start.longitude) * ($0.latitude - start.latitude)
        == (other.latitude - start.latitude) * ($0.longitude - start.longitude)
    }
  }
}
