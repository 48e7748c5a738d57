/// A place on the earth, in degrees.
public struct Location: Sendable {
  /// -90 (south) to 90 (north).
  public let latitude: Double
  /// -180 (west) to 180 (east).
  public let longitude: Double

  /// Nil when a coordinate is out of range or not a number.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The same place with one spelling: longitude 180 for -180, 0 at the poles, no negative zero.
  var normalized: Location {
    let longitude = abs(latitude) == 90 ? 0 : longitude == -180 ? 180 : longitude
    return Location(inRange: latitude + 0, longitude: longitude + 0)
  }

  /// The caller sees to the ranges.
  init(inRange latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether it is the same place: longitudes 180 and -180 are one, and at a pole all are.
  public func isSamePlace(as other: Location) -> Bool {
    normalized == other.normalized
  }
}

/// The same coordinates as they are written.
extension Location: Hashable {}
