import JSONRPC

/// Goes along a path, from a field of a record into objects, lists and the records that references lead to.
struct PathWalk {
  /// References that a path can go through one after another.
  static let maximumHops = 8
  /// Records that one path of one record can go into. Lists of references to records with lists of references
  /// would have no end otherwise.
  static let maximumRecords = 10_000
  /// Elements of lists that a path that went into other records can go through at once.
  static let maximumElements = 100_000

  /// A place that was reached.
  private struct Place {
    /// Nil for nothing, and for ``value``.
    var json: JSON?
    /// Of a system key that is no JSON.
    var value: FieldValue?
    /// The record that it is in.
    var record: StoredRecord
    /// Whether it is a field, or an element of one: references inside objects are not followed.
    var isField: Bool

    static func nothing(in record: StoredRecord) -> Place {
      Place(json: nil, value: nil, record: record, isField: false)
    }
  }

  private let start: StoredRecord
  private let resolver: (any RecordResolver)?
  private var places: [Place]
  /// Whether the path came through a list: then it finds a list, however many elements there are.
  private var isList = false
  private var hops = 0
  private var records = 0

  init(of record: StoredRecord, field: JSON, resolver: (any RecordResolver)?) {
    start = record
    self.resolver = resolver
    places = [Place(json: field, value: nil, record: record, isField: true)]
  }

  mutating func go(_ names: ArraySlice<String>) {
    for name in names {
      // Behind nothing there is nothing, however long the path.
      if places.allSatisfy({ $0.json == nil }) {
        for index in places.indices { places[index].value = nil }
        return
      }
      spread()
      guard step(name) else {
        places = [.nothing(in: start)]
        isList = false
        return
      }
    }
  }

  /// False when that goes beyond what a path may.
  private mutating func step(_ name: String) -> Bool {
    var follows = false
    for index in places.indices {
      guard let next = follow(places[index], name) else {
        step(&places[index], name)
        continue
      }
      guard records <= Self.maximumRecords else { return false }
      places[index] = next
      follows = true
    }
    if follows { hops += 1 }
    return hops <= Self.maximumHops && places.count <= (records == 0 ? .max : Self.maximumElements)
  }

  /// Takes one element of the list reached; nothing where there is no list, or no such element.
  mutating func pick(_ position: Predicate.ListPosition) {
    guard isList || places[0].json?.kind == .array else {
      places = [.nothing(in: start)]
      return
    }
    spread()
    let index =
      switch position {
      case .index(let index): index
      case .first: 0
      case .last: places.count - 1
      }
    places = [places.indices.contains(index) ? places[index] : .nothing(in: start)]
    isList = false
  }

  func result(countingElements: Bool) -> Operand {
    if !isList, places[0].json?.kind != .array {
      return .single(countingElements ? nil : value(of: places[0]))
    }
    var whole = self
    whole.spread()
    if countingElements { return .single(.int64(Int64(whole.places.count))) }
    return .list(whole.places.map(value(of:)))
  }

  /// Puts the elements of lists in their places.
  private mutating func spread() {
    guard places.contains(where: { $0.json?.kind == .array }) else { return }
    isList = true
    var elements: [Place] = []
    for place in places {
      guard let json = place.json, json.kind == .array else {
        elements.append(place)
        continue
      }
      for element in json.elements {
        // More than is allowed is enough to give up.
        if records > 0, elements.count > Self.maximumElements { break }
        var next = place
        next.json = element
        elements.append(next)
      }
    }
    places = elements
  }

  private func step(_ place: inout Place, _ name: String) {
    place.json = place.json?.member(atPathComponent: name)
    place.value = nil
    place.isField = false
  }

  /// Into the record that a reference leads to; nil where this is no reference to be followed.
  private mutating func follow(_ place: Place, _ name: String) -> Place? {
    guard place.isField, let json = place.json, json.kind == .object, let target = json["$reference"],
      !Reference.hasMember(name)
    else { return nil }
    records += 1
    guard let resolver, records <= Self.maximumRecords, hops < Self.maximumHops,
      let recordName = target["recordName"]?.stringValue,
      let record = resolver.record(
        named: recordName, inZone: target["zoneName"]?.stringValue ?? place.record.zoneName)
    else { return .nothing(in: start) }
    if let key = SystemKey(named: name) {
      return Place(json: nil, value: record.value(of: key), record: record, isField: false)
    }
    return Place(json: record.json(ofField: name), value: nil, record: record, isField: true)
  }

  private func value(of place: Place) -> FieldValue? {
    if let value = place.value { return value }
    guard let value = place.json.flatMap(FieldValue.init(stored:)) else { return nil }
    // What has no zone is of the zone of the record that holds it, not of the one where the path began.
    if place.isField, case .reference(var reference) = value, reference.zoneName == nil,
      !place.record.zoneName.hasSameUTF8(as: start.zoneName)
    {
      reference.zoneName = place.record.zoneName
      return .reference(reference)
    }
    return value
  }
}

extension JSON {
  /// The member of an object, or of the object inside a value such as `{"$location":{…}}`.
  fileprivate func member(atPathComponent name: String) -> JSON? {
    var members = members.makeIterator()
    if let first = members.next(), first.isMarked { return first.value[name] }
    return self[name]
  }
}
