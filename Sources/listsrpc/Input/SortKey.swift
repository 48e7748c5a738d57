import ArgumentParsing
import JSONRPC

/// A sort descriptor as typed: `name`, `-name` (descending), `name:localized`, `-name:nullsLast`,
/// `shop:near=50.85,4.35` (by the distance from there).
struct SortKey: Equatable {
  var key: String
  var isAscending = true
  var collation: String?
  var nulls: String?
  /// The place to sort by the distance from.
  var origin: Origin?

  struct Origin: Equatable {
    var latitude: Double
    var longitude: Double
  }

  private static let near = "near="

  /// - Throws: `UsageError` that names the modifier.
  init(parsing text: String) throws(UsageError) {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var name = parts.removeFirst()
    if name.hasPrefix("-") || name.hasPrefix("+") {
      isAscending = name.hasPrefix("+")
      name.removeFirst()
    }
    guard !name.isEmpty else { throw UsageError("the sort key '\(text)' has no name") }
    key = name
    for modifier in parts {
      switch modifier {
      case "localized", "codePoint": collation = modifier
      case "nullsFirst": nulls = "first"
      case "nullsLast": nulls = "last"
      case _ where modifier.hasPrefix(Self.near): origin = try Self.origin(modifier, in: text)
      default:
        throw UsageError(
          "'\(modifier)' in the sort key '\(text)' is none of localized, codePoint, nullsFirst, nullsLast, "
            + "near=LATITUDE,LONGITUDE")
      }
    }
  }

  private static func origin(_ modifier: String, in text: String) throws(UsageError) -> Origin {
    let numbers = modifier.dropFirst(near.count).split(separator: ",", omittingEmptySubsequences: false)
      .compactMap { Double($0) }
    guard numbers.count == 2, (-90...90).contains(numbers[0]), (-180...180).contains(numbers[1]) else {
      throw UsageError(
        "'\(modifier)' in the sort key '\(text)' is no latitude and longitude in degrees, such as near=50.85,4.35"
      )
    }
    return Origin(latitude: numbers[0], longitude: numbers[1])
  }

  /// The keys of `--sort` options, each with one or several keys.
  ///
  /// - Throws: `UsageError` for an option without a key, and for what ``init(parsing:)`` refuses.
  static func all(in values: [String]) throws(UsageError) -> [SortKey] {
    var keys: [SortKey] = []
    for value in values {
      for text in texts(value) { keys.append(try SortKey(parsing: text)) }
    }
    return keys
  }

  /// The keys between commas. The comma between a latitude and a longitude parts no keys.
  private static func texts(_ value: String) -> [String] {
    var texts: [String] = []
    for part in value.split(separator: ",", omittingEmptySubsequences: false) {
      if let last = texts.last, let modifier = last.split(separator: ":").last, modifier.hasPrefix(near),
        !modifier.contains(",")
      {
        texts[texts.count - 1] = last + "," + part
      } else {
        texts.append(String(part))
      }
    }
    return texts
  }

  var node: JSONNode {
    var members: [(String, JSONNode)] = [("key", .string(key)), ("ascending", .bool(isAscending))]
    if let collation { members.append(("collation", .string(collation))) }
    if let nulls { members.append(("nulls", .string(nulls))) }
    if let origin {
      let place: JSONNode = ["latitude": .double(origin.latitude), "longitude": .double(origin.longitude)]
      members.append(("relativeLocation", ["$location": place]))
    }
    return .object(members)
  }
}
