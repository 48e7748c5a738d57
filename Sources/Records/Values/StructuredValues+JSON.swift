import JSONRPC

extension Location {
  private static let members = ["latitude", "longitude"]

  init(json: JSON) throws(RecordError) {
    let members = try json.members(of: "$location", known: Self.members)
    guard let latitude = members[0]?.doubleValue, let longitude = members[1]?.doubleValue else {
      throw RecordError(.invalidArguments, "$location takes numbers for latitude and longitude")
    }
    guard let location = Location(latitude: latitude, longitude: longitude) else {
      throw RecordError(
        .invalidArguments,
        "$location is out of range: latitude -90 to 90, longitude -180 to 180, in degrees")
    }
    self = location
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("latitude")
    writer.double(latitude)
    writer.key("longitude")
    writer.double(longitude)
    writer.endObject()
  }
}

extension Reference {
  private static let members = ["recordName", "zoneName", "action"]

  init(json: JSON) throws(RecordError) {
    let members = try json.members(of: "$reference", known: Self.members)
    guard let recordName = members[0]?.stringValue else {
      throw RecordError(.invalidArguments, "$reference takes a text for recordName")
    }
    try Identifier.check(recordName, as: .recordName)
    self.init(recordName: recordName)
    if let zone = members[1], !zone.isNull {
      guard let zoneName = zone.stringValue else {
        throw RecordError(.invalidArguments, "$reference takes a text for zoneName")
      }
      try Identifier.check(zoneName, as: .zoneName)
      self.zoneName = zoneName
    }
    if let json = members[2], !json.isNull {
      guard let action = json.stringValue.flatMap(Action.init(rawValue:)) else {
        let known = Action.allCases.map(\.rawValue).joined(separator: ", ")
        throw RecordError(.invalidArguments, "$reference takes one of \(known) for action")
      }
      self.action = action
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("recordName")
    writer.string(recordName)
    if let zoneName {
      writer.key("zoneName")
      writer.string(zoneName)
    }
    if action != .none {
      writer.key("action")
      writer.string(action.rawValue)
    }
    writer.endObject()
  }
}

extension Asset {
  private static let members = ["checksum", "size"]

  init(json: JSON) throws(RecordError) {
    let members = try json.members(of: "$asset", known: Self.members)
    guard let checksum = members[0]?.stringValue, let size = members[1]?.int64Value, size >= 0 else {
      throw RecordError(.invalidArguments, "$asset takes a text for checksum and a count of bytes for size")
    }
    self.init(checksum: checksum, size: size)
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("checksum")
    writer.string(checksum)
    writer.key("size")
    writer.int(size)
    writer.endObject()
  }
}
