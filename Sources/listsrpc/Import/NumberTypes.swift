import JSONRPC
import Records

/// What the numbers of each field become where the file's form doesn't tell integers from other numbers, as Parse's: one
/// type for the whole file.
struct NumberTypes {
  private struct Field: Hashable {
    let recordType: String
    let name: String
  }

  /// Those that are decided: by the schema, or by all numbers of the file.
  private var isInteger: [Field: Bool] = [:]
  /// What the file's own numbers decided.
  private var found: [Field] = []
  /// The record type of every row, and new names of fields.
  private let mapping: RowMapping

  /// - Parameter schema: The fields of record types that are there.
  init(_ mapping: RowMapping, schema: [String: [String: FieldType]]) {
    self.mapping = mapping
    for (recordType, fields) in schema {
      for (name, type) in fields { declared[Field(recordType: recordType, name: name)] = type.element }
    }
  }

  private var declared: [Field: FieldType.Element] = [:]

  private func field(_ name: String, _ recordType: String) -> Field {
    Field(recordType: mapping.recordType ?? recordType, name: mapping.renames[name] ?? name)
  }

  /// Takes a number of the file into account, before the first one is read for good.
  mutating func note(_ number: JSON, of name: String, in recordType: String) {
    let field = field(name, recordType)
    guard declared[field] == nil else { return }
    if isInteger[field] == nil { found.append(field) }
    isInteger[field] = isInteger[field] ?? true && Self.integer(number) != nil
  }

  /// The number as it is to be saved. A double, where nothing says otherwise.
  func value(_ number: JSON, of name: String, in recordType: String) -> JSONNode {
    let field = field(name, recordType)
    let wantsInteger = declared[field].map { $0 == .int64 } ?? isInteger[field] ?? false
    if wantsInteger {
      // What is none is refused by the service, with the reason.
      return Self.integer(number, .max).map { .int($0) } ?? .json(number)
    }
    return number.doubleValue.map { .double($0) } ?? .json(number)
  }

  /// A number that is written without a fraction and that JavaScript, where it comes from, keeps exactly.
  private static func integer(_ number: JSON, _ limit: UInt64 = 1 << 53) -> Int64? {
    guard let integer = number.int64Value, integer.magnitude <= limit else { return nil }
    return integer
  }

  /// What the file's numbers decided, a sentence.
  var notes: [String] {
    let sorted = found.map { (name: "\($0.recordType).\($0.name)", isInteger: isInteger[$0] ?? false) }
    let parts = [(true, "int64"), (false, "double")].compactMap { isInteger, word -> String? in
      let names = sorted.filter { $0.isInteger == isInteger }.map(\.name).sorted()
      guard !names.isEmpty else { return nil }
      let rest = names.count > 10 ? " and \(names.count - 10) more" : ""
      return "\(names.prefix(10).joined(separator: ", "))\(rest) as \(word)"
    }
    return parts.isEmpty
      ? [] : ["numbers were read by what all of the file's are: " + parts.joined(separator: "; ")]
  }
}
