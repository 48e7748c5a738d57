import Testing

@testable import Records

struct LocationBoxTests {
  @Test(
    "what is near enough is in the box of a circle, at the poles and longitude 180 too",
    arguments: [1, 2, 3] as [UInt64])
  func holdsTheCircle(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var near = 0
    let radii: [Double] = [0, 1, 5_000, 300_000, 4_000_000, 19_000_000, 20_003_932]
    for _ in 0..<4000 {
      let center = Location.random(using: &generator)
      let radius = radii[Int.random(in: 0..<radii.count, using: &generator)]
      let box = try #require(LocationBox(around: center, radius: radius))
      let place =
        Bool.random(using: &generator)
        ? Location.random(using: &generator) : center.near(radius * 1.2, using: &generator)
      let distance = center.distance(to: place)
      if distance <= radius {
        near += 1
        #expect(box.contains(place), "\(center) \(radius) \(place)")
      }
    }
    #expect(near > 800)
  }

  @Test("the box of a circle is little larger than the circle")
  func isTight() throws {
    let center = try #require(Location(latitude: 50, longitude: 10))
    let box = try #require(LocationBox(around: center, radius: 10_000))
    #expect(box.northeast.latitude - box.southwest.latitude < 0.2)
    #expect(box.northeast.longitude - box.southwest.longitude < 0.3)
  }

  @Test("a circle across longitude 180 has a box across it; one with a pole in it all longitudes")
  func crossing() throws {
    let center = try #require(Location(latitude: 0, longitude: 179.99))
    let box = try #require(LocationBox(around: center, radius: 10_000))
    #expect(box.southwest.longitude > 179 && box.northeast.longitude < -179)
    let north = try #require(Location(latitude: 89.99, longitude: 10))
    let cap = try #require(LocationBox(around: north, radius: 10_000))
    #expect(cap.northeast.latitude == 90)
    #expect(cap.southwest.longitude == -180 && cap.northeast.longitude == 180)
    #expect(LocationBox(around: north, radius: .infinity) == .everywhere)
  }

  @Test("nothing is nearer than 0 metres, or than no number")
  func noCircle() throws {
    let center = try #require(Location(latitude: 0, longitude: 0))
    #expect(LocationBox(around: center, radius: -1) == nil)
    #expect(LocationBox(around: center, radius: .nan) == nil)
    #expect(LocationBox(around: center, radius: 0)?.contains(center) == true)
  }
}
