import Testing

@testable import Records

struct LocationDistanceTests {
  /// Latitude and longitude of two places, and metres as GeographicLib has them, which are exact to nanometres.
  static let known: [(Double, Double, Double, Double, Double)] = [
    (52.52, 13.405, 48.8566, 2.3522, 879699.3161),  // Berlin to Paris
    (40.7128, -74.006, 35.6762, 139.6503, 10875723.6852),  // New York to Tokyo
    (-17.7134, 178.065, -13.759, -172.1046, 1140491.2863),  // Fiji to Samoa, across longitude 180
    (51.4778, -0.0015, 51.4779, -0.0014, 13.1167),
    (10, 179.9, 10, -179.9, 21927.8725),
    (0, 0, 0, 1, 111319.4908),
    (0, 0, 1, 0, 110574.3886),
    (90, 0, -90, 0, 20003931.4586),
    (89.9, 0, 89.9, 180, 22338.7957),
    // Opposite places, and nearly opposite ones.
    (0, 0, 0, 180, 20003931.4586),
    (0, -90, 0, 90, 20003931.4586),
    (45, 0, -45, 180, 20003931.4586),
    (0, 0, 0, 179.5, 19980861.9089),
    (0, 0, 0, 179.396, 19970271.3704),
    (0, 0, 0.5, 179.5, 19936288.5790),
    (0, 0, 0.0001, 179.4, 19970714.2580),
    (30, 0, -30, 179.9, 20003008.4215),
    (-30, 10, 29.9, -170.2, 19989832.8276),
    (60, 0, -59.999, -179.99, 20003810.8765),
    (1e-7, 0, -2e-7, 179.99999, 20003931.4476),
    (-89.9999, 20, 89.9998, -160.0001, 20003920.2892),
  ]

  @Test("distances are true to a millimetre and the same both ways, mirrored and turned", arguments: known)
  func knownDistance(
    latitude: Double, longitude: Double, otherLatitude: Double, otherLongitude: Double, metres: Double
  ) throws {
    let one = try #require(Location(latitude: latitude, longitude: longitude))
    let two = try #require(Location(latitude: otherLatitude, longitude: otherLongitude))
    let distance = one.distance(to: two)
    #expect(abs(distance - metres) < 0.001)
    #expect(two.distance(to: one) == distance)
    let mirrored = try #require(Location(latitude: -latitude, longitude: longitude))
    let otherMirrored = try #require(Location(latitude: -otherLatitude, longitude: otherLongitude))
    #expect(mirrored.distance(to: otherMirrored) == distance)
  }

  @Test("the same place is 0 away, however it is written")
  func samePlace() throws {
    for (one, two) in [
      ((12.0, 34.0), (12.0, 34.0)), ((5, 180), (5, -180)), ((90, 17), (90, -120)), ((-90, 180), (-90, 3)),
      ((0, 0), (-0.0, -0.0)),
    ] {
      let place = try #require(Location(latitude: one.0, longitude: one.1))
      let same = try #require(Location(latitude: two.0, longitude: two.1))
      #expect(place.distance(to: same) == 0)
    }
  }

  @Test("every spelling of a place is as far from another")
  func spellings() throws {
    let place = try #require(Location(latitude: 40, longitude: 100))
    let pole = try #require(Location(latitude: 90, longitude: 0))
    let samePole = try #require(Location(latitude: 90, longitude: 77))
    #expect(place.distance(to: pole) == place.distance(to: samePole))
    let east = try #require(Location(latitude: 3, longitude: 180))
    let west = try #require(Location(latitude: 3, longitude: -180))
    #expect(place.distance(to: east) == place.distance(to: west))
  }

  @Test(
    "random places: a finite distance, symmetric, never more than by a third place",
    arguments: [1, 2] as [UInt64])
  func triangle(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let one = Location.random(using: &generator)
      let two =
        Bool.random(using: &generator) ? one.nearlyOpposite(using: &generator) : .random(using: &generator)
      let three = Location.random(using: &generator)
      let distance = one.distance(to: two)
      #expect(distance >= 0 && distance < 20_003_931.46)
      #expect(distance == two.distance(to: one))
      #expect(distance <= one.distance(to: three) + three.distance(to: two) + 0.001)
    }
  }
}

extension Location {
  /// Anywhere, often at an edge of the range.
  static func random(using generator: inout SplitMix64) -> Location {
    func coordinate(_ limit: Double) -> Double {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: [-limit, limit, 0, limit / 2].randomElement(using: &generator) ?? 0
      case 1: Double(Int.random(in: -Int(limit)...Int(limit), using: &generator))
      default: Double.random(in: -limit...limit, using: &generator)
      }
    }
    return Location(inRange: coordinate(90), longitude: coordinate(180))
  }

  /// A place near the opposite one.
  func nearlyOpposite(using generator: inout SplitMix64) -> Location {
    let offset = { (generator: inout SplitMix64) in Double.random(in: -0.7...0.7, using: &generator) }
    let latitude = min(max(-latitude + offset(&generator), -90), 90)
    let turned = longitude + 180 + offset(&generator)
    return Location(inRange: latitude, longitude: turned.remainder(dividingBy: 360))
  }

  /// A place about as far away as asked for, in any direction.
  func near(_ metres: Double, using generator: inout SplitMix64) -> Location {
    let degrees = metres / 111_000
    let latitude = latitude + Double.random(in: -degrees...degrees, using: &generator)
    let longitude = longitude + Double.random(in: -degrees...degrees, using: &generator) * 2
    return Location(
      inRange: min(max(latitude, -90), 90), longitude: longitude.remainder(dividingBy: 360))
  }
}
