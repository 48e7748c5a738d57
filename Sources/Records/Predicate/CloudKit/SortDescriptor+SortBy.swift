public import JSONRPC

extension SortDescriptor {
  /// The sort descriptors that CloudKit's are: `sortBy` of CloudKit Web Services and CloudKit JS, each
  /// `{"fieldName" or "systemFieldName", "ascending"?, "relativeLocation"?}`.
  ///
  /// Throws `invalidArguments` that names the descriptor and the member that is wrong.
  public static func list(sortBy descriptors: [JSON]) throws(RecordError) -> [SortDescriptor] {
    var list: [SortDescriptor] = []
    for json in descriptors {
      list.append(try SortDescriptor(sortBy: json, at: CloudKitPlace("sortBy", list.count)))
    }
    return list
  }

  private init(sortBy json: JSON, at place: CloudKitPlace) throws(RecordError) {
    let members = try place.members(
      of: json, known: ["fieldName", "systemFieldName", "ascending", "relativeLocation"])
    guard
      let path = try CloudKitField.path(fieldName: members[0], systemFieldName: members[1], at: place)
    else { throw place.error("\(place.name) must have a fieldName or a systemFieldName") }
    self.init(path)
    if let ascending = members[2] {
      guard let truth = ascending.boolValue else {
        throw place.member("ascending").error(mustBe: "true or false")
      }
      self.ascending = truth
    }
    if let location = members[3] {
      let locationPlace = place.member("relativeLocation")
      relativeLocation = try CloudKitValue.location(location["$location"] ?? location, at: locationPlace)
    }
  }
}
