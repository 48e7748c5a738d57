/// A request's id, kept as it was written: a string's escapes and a number's digits come back unchanged.
///
/// Two ids are equal when their texts are: `1`, `1.0` and `"1"` are three.
public struct RequestID: Sendable, Hashable {
  private enum Storage: Sendable, Hashable {
    case null
    /// An integer in its only canonical spelling: no memory of its own.
    case integer(Int64)
    case text([UInt8])
  }

  private let storage: Storage

  public static let null = RequestID(storage: .null)

  public init(_ number: Int64) {
    storage = .integer(number)
  }

  public init(_ string: String) {
    var writer = JSONWriter()
    writer.string(string)
    storage = .text(writer.bytes)
  }

  /// Takes a string, a number or null; nil for anything else, and for a number beyond the finite doubles,
  /// which few programs could tell apart again.
  public init?(_ json: JSON) {
    switch json.kind {
    case .null: storage = .null
    case .string: storage = .text(Array(json.bytes))
    case .number:
      if let number = json.int64Value, number != 0 || json.end - json.start == 1 {
        storage = .integer(number)
      } else {
        guard json.doubleValue != nil else { return nil }
        storage = .text(Array(json.bytes))
      }
    case .boolean, .array, .object: return nil
    }
  }

  private init(storage: Storage) {
    self.storage = storage
  }

  /// The number of an id that was made from one.
  public var number: Int64? {
    if case .integer(let number) = storage { number } else { nil }
  }

  public func write(to writer: inout JSONWriter) {
    switch storage {
    case .null: writer.null()
    case .integer(let number): writer.int(number)
    case .text(let text): writer.raw(text)
    }
  }
}

extension RequestID: CustomStringConvertible {
  /// The JSON text.
  public var description: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
