import Glibc

/// Part of the Earth between two parallels and two meridians, its edges included.
public struct LocationBox: Sendable, Equatable {
  public let southwest: Location
  public let northeast: Location

  /// Nil when the south is north of the north. A west that is east of the east is no fault: the box crosses
  /// longitude 180.
  public init?(southwest: Location, northeast: Location) {
    guard southwest.latitude <= northeast.latitude else { return nil }
    self.southwest = southwest
    self.northeast = northeast
  }

  /// The whole Earth.
  public static let everywhere = LocationBox(south: -90, north: 90, west: -180, east: 180)

  public func contains(_ location: Location) -> Bool {
    guard (southwest.latitude...northeast.latitude).contains(location.latitude) else { return false }
    // Every meridian goes through the poles.
    if abs(location.latitude) == 90 { return true }
    // Longitude 180 is -180 too: a place there is tried as both.
    if abs(location.longitude) == 180 { return containsMeridian(180) || containsMeridian(-180) }
    return containsMeridian(location.longitude)
  }

  private func containsMeridian(_ longitude: Double) -> Bool {
    let west = southwest.longitude
    let east = northeast.longitude
    return west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east
  }
}

extension LocationBox {
  /// A box that holds every place not further than `radius` metres from `center`, and little more: what is
  /// outside it needs no ``Location/distance(to:)``. Nil when no place is that near: the radius is negative or
  /// not a number.
  public init?(around center: Location, radius: Double) {
    guard radius >= 0 else { return nil }
    // On the ellipsoid no way is shorter than on a sphere with the least radius of curvature, that of the
    // meridian at the equator. A centimetre covers what the distance is out by.
    let leastRadius = Geodesic.polarRadius * (1 - Geodesic.flattening)
    let arc = (radius + 0.01) / leastRadius
    let latitude = center.latitude * .pi / 180
    let south = latitude - arc
    let north = latitude + arc
    guard south > -.pi / 2, north < .pi / 2 else {
      // A pole is in it, and so every meridian.
      self.init(
        enclosingSouth: south * 180 / .pi, north: north * 180 / .pi, west: -180, east: 180)
      return
    }
    let reach = asin(min(1, sin(arc) / cos(latitude))) * 180 / .pi
    self.init(
      enclosingSouth: south * 180 / .pi, north: north * 180 / .pi, west: center.longitude - reach,
      east: center.longitude + reach)
  }

  /// What rounding may be out by in the degrees of a box that must not be too small; a tenth of a millimetre.
  private static let margin = 1e-9

  /// A box that holds all of these, a bit larger so that rounding can't make it too small. Latitudes beyond
  /// the poles are cut off, longitudes may be any with the west not above the east.
  init(enclosingSouth south: Double, north: Double, west: Double, east: Double) {
    self.init(
      south: south - Self.margin, north: north + Self.margin, west: west - Self.margin,
      east: east + Self.margin)
  }

  private init(south: Double, north: Double, west: Double, east: Double) {
    func place(_ latitude: Double, _ longitude: Double) -> Location {
      Location(inRange: min(max(latitude, -90), 90), longitude: longitude)
    }
    let isAllRound = !(east - west < 360)
    southwest = place(south, isAllRound ? -180 : west.remainder(dividingBy: 360))
    northeast = place(north, isAllRound ? 180 : east.remainder(dividingBy: 360))
  }
}
