import Glibc

extension Location {
  /// The length in metres of the shortest line between two places on the Earth's surface, a WGS 84 ellipsoid
  /// without heights.
  ///
  /// True to a millimetre at any distance, for places on opposite sides of the Earth too. The same in both directions, 0 for
  /// the same place, and the same for every spelling of a place (longitudes 180 and -180; all of them at a pole).
  public func distance(to other: Location) -> Double {
    let one = normalized
    let two = other.normalized
    if one == two { return 0 }
    return Geodesic(one, two).length
  }
}

/// The shortest line between two places of the ellipsoid, brought into one position: the first place is the
/// one further from the equator and lies south of it, the other is east of it. Turning and mirroring the Earth
/// doesn't change a distance, so the result is the same for both orders of the places.
///
/// By T. Vincenty's series (Survey Review 23, 1975) with his later expansion parameter. His iteration fails
/// between places that are nearly opposite; there the azimuth is found by halving an interval, in which it is
/// known to lie alone (C. Karney, "Algorithms for geodesics", Journal of Geodesy 87, 2013, section 4).
struct Geodesic {
  /// The equator's radius in metres, the flattening and the polar radius of WGS 84.
  static let equatorialRadius = 6_378_137.0
  static let flattening = 1 / 298.257223563
  static let polarRadius = equatorialRadius * (1 - flattening)

  /// Sine and cosine of a latitude on the auxiliary sphere.
  private struct ReducedLatitude {
    let sine: Double
    let cosine: Double

    init(degrees: Double) {
      let latitude = degrees * .pi / 180
      let scaled = (1 - flattening) * sin(latitude)
      let length = hypot(scaled, cos(latitude))
      sine = scaled / length
      cosine = max(cos(latitude) / length, 0)
    }
  }

  private let south: ReducedLatitude
  private let north: ReducedLatitude
  /// Between the meridians, 0 to π.
  private let longitude: Double

  init(_ one: Location, _ two: Location) {
    let isSecondFurther = abs(two.latitude) > abs(one.latitude)
    let further = isSecondFurther ? two.latitude : one.latitude
    let nearer = isSecondFurther ? one.latitude : two.latitude
    south = ReducedLatitude(degrees: -abs(further))
    north = ReducedLatitude(degrees: further > 0 ? -nearer : nearer)
    let apart = abs(one.longitude - two.longitude)
    longitude = min(apart, 360 - apart) * .pi / 180
  }

  var length: Double { iterated ?? bisected }

  // MARK: Lines that Vincenty's iteration finds

  /// Nil where the iteration doesn't settle.
  private var iterated: Double? {
    var difference = longitude
    for _ in 0..<16 {
      let sine = sin(difference)
      let cosine = cos(difference)
      let across = north.cosine * sine
      let along = south.cosine * north.sine - south.sine * north.cosine * cosine
      let sineOfArc = (across * across + along * along).squareRoot()
      let cosineOfArc = south.sine * north.sine + south.cosine * north.cosine * cosine
      if sineOfArc == 0 { return cosineOfArc > 0 ? 0 : nil }
      let arc = Arc(
        length: atan2(sineOfArc, cosineOfArc), sine: sineOfArc, cosine: cosineOfArc,
        sineAtEquator: south.cosine * north.cosine * sine / sineOfArc, ends: south.sine * north.sine)
      let next = longitude + arc.longitudeExcess
      if abs(next) > .pi { return nil }
      if abs(next - difference) < 1e-13 { return arc.metres }
      difference = next
    }
    return nil
  }

  // MARK: Lines between nearly opposite places

  /// By the azimuth at the southern end. The longitude that a line with it covers until it comes to the other
  /// latitude, going north, grows with the azimuth from 0 to more than the places are apart.
  private var bisected: Double {
    var low = 0.0
    var high = Double.pi
    while true {
      let middle = low + (high - low) / 2
      let (covered, arc) = line(azimuth: middle)
      if covered == longitude || middle <= low || middle >= high { return arc.metres }
      if covered < longitude { low = middle } else { high = middle }
    }
  }

  /// The longitude that the line covers, and the line.
  private func line(azimuth: Double) -> (longitude: Double, arc: Arc) {
    // Just off the equator and the pole, where the directions of a line would be undetermined.
    let southSine = min(south.sine, -1e-200)
    let southCosine = max(south.cosine, 1e-200)
    let sineAtEquator = sin(azimuth) * southCosine
    let southward = cos(azimuth) * southCosine
    let northward =
      (max(0, southward * southward + (southSine - north.sine) * (southSine + north.sine))).squareRoot()
    let start = atan2(southSine, southward)
    let end = atan2(north.sine, northward)
    let length = max(0, end - start)
    let arc = Arc(
      length: length, sine: sin(length), cosine: cos(length), sineAtEquator: sineAtEquator,
      ends: southSine * north.sine)
    let onSphere =
      atan2(sineAtEquator * north.sine, northward) - atan2(sineAtEquator * southSine, southward)
    return (onSphere - arc.longitudeExcess, arc)
  }

  /// A part of a great circle of the auxiliary sphere.
  private struct Arc {
    let length: Double
    let sine: Double
    let cosine: Double
    /// Of its azimuth where it crosses the equator.
    let sineAtEquator: Double
    /// The product of the sines of the latitudes of its ends.
    let ends: Double

    private var squaredCosineAtEquator: Double { max(0, 1 - sineAtEquator * sineAtEquator) }

    /// The cosine of twice the distance of its middle from the equator.
    private var cosineOfMiddle: Double {
      let squared = squaredCosineAtEquator
      return squared < 1e-300 ? 0 : min(max(cosine - 2 * ends / squared, -1), 1)
    }

    /// How much more longitude it covers on the sphere than on the ellipsoid.
    var longitudeExcess: Double {
      let f = flattening
      let squared = squaredCosineAtEquator
      let middle = cosineOfMiddle
      let c = f / 16 * squared * (4 + f * (4 - 3 * squared))
      return (1 - c) * f * sineAtEquator
        * (length + c * sine * (middle + c * cosine * (2 * middle * middle - 1)))
    }

    /// The length of the line on the ellipsoid.
    var metres: Double {
      let eccentricity = (equatorialRadius / polarRadius) * (equatorialRadius / polarRadius) - 1
      let root = (1 + squaredCosineAtEquator * eccentricity).squareRoot()
      let k = (root - 1) / (root + 1)
      let a = (1 + k * k / 4) / (1 - k)
      let b = k * (1 - 3 * k * k / 8)
      let middle = cosineOfMiddle
      let twice = 2 * middle * middle - 1
      let correction =
        b * sine
        * (middle + b / 4
          * (cosine * twice - b / 6 * middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)))
      return max(0, polarRadius * a * (length - correction))
    }
  }
}
