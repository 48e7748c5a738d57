import JSONRPC
import Records

/// The type that text of a field becomes on import.
enum FieldConversion: String, CaseIterable {
  case string, int, double, boolean, date, json, bytes, location, reference

  /// Nil when the text is none of the type. Values other than text stay as they are.
  func value(of value: JSON) -> JSONNode? {
    guard let text = value.stringValue else { return .json(value) }
    return self.value(of: text)
  }

  func value(of text: String) -> JSONNode? {
    switch self {
    case .string: return .string(text)
    case .int: return Int64(text).map { .int($0) }
    case .double: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .date:
      // Of what the service reads itself it says best what is wrong.
      return (text.utf8.count == 10 ? FieldText.date(text) : nil) ?? .object([("$date", .string(text))])
    case .json: return (try? JSON(parsing: text)).map { .json($0) }
    case .bytes: return FieldText.value(of: text, as: FieldType(.bytes))
    case .location: return FieldText.value(of: text, as: FieldType(.location))
    case .reference: return FieldText.value(of: text, as: FieldType(.reference))
    case .boolean:
      switch text.lowercased() {
      case "true", "yes", "1": return .bool(true)
      case "false", "no", "0": return .bool(false)
      default: return nil
      }
    }
  }
}
