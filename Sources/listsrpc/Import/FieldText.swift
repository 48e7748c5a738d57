import JSONRPC
import Records

/// A value written as text, as in a table, read as the type that its field has.
enum FieldText {
  /// Nil when it is none of the type. A value's own JSON counts for every type but strings.
  static func value(of text: String, as type: FieldType) -> JSONNode? {
    guard !type.isList else { return list(text) }
    switch type.element {
    case .string: return .string(text)
    case .int64: return Int64(text).map { .int($0) }
    case .double: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .boolean: return FieldConversion.boolean.value(of: text)
    case .date: return date(text)
    case .bytes: return marked(text, "$bytes") ?? .object([("$bytes", .string(text))])
    case .location: return marked(text, "$location") ?? location(text)
    case .reference:
      return marked(text, "$reference") ?? .object([("$reference", .object([("recordName", .string(text))]))])
    case .asset: return marked(text, "$asset")
    case .object:
      guard let json = try? JSON(parsing: text), json.kind == .object else { return nil }
      return .json(json)
    }
  }

  /// A day alone is its midnight in UTC.
  static func date(_ text: String) -> JSONNode? {
    let moment = DateText.parse(text) ?? (text.utf8.count == 10 ? DateText.parse(text + "T00:00:00Z") : nil)
    return moment.map { .object([("$date", .string(DateText.format($0)))]) }
  }

  private static func list(_ text: String) -> JSONNode? {
    guard let json = try? JSON(parsing: text), json.kind == .array else { return nil }
    return .json(json)
  }

  /// The JSON object whose only member is the mark.
  private static func marked(_ text: String, _ mark: String) -> JSONNode? {
    guard text.hasPrefix("{"), let json = try? JSON(parsing: text), json[mark] != nil else { return nil }
    return .json(json)
  }

  /// `50.85,4.35` or `50.85 4.35`: latitude, longitude.
  private static func location(_ text: String) -> JSONNode? {
    let numbers = text.split { $0 == "," || $0 == " " || $0 == ";" }.map { Double($0) }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
    return .object([
      ("$location", .object([("latitude", .double(latitude)), ("longitude", .double(longitude))]))
    ])
  }
}
