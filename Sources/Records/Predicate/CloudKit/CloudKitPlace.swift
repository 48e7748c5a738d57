import JSONRPC

/// Where something stands in `filterBy` or `sortBy`, to name it in an error: `filterBy[2].fieldValue`.
struct CloudKitPlace {
  let name: String

  init(_ list: String, _ index: Int) { name = "\(list)[\(index)]" }

  private init(name: String) { self.name = name }

  func member(_ member: String) -> CloudKitPlace { CloudKitPlace(name: "\(name).\(member)") }

  func element(_ index: Int) -> CloudKitPlace { CloudKitPlace(name: "\(name)[\(index)]") }

  /// `expectation` as in "a text".
  func error(mustBe expectation: String) -> RecordError {
    error("\(name) must be \(expectation)")
  }

  func error(_ message: String) -> RecordError {
    RecordError(.invalidArguments, message, details: [.init(name: "parameter", text: name)])
  }

  /// The members of the object here with these names; null ones are as if left out. Throws for any other.
  func members(of json: JSON, known: [String]) throws(RecordError) -> [JSON?] {
    guard json.kind == .object else {
      throw error(mustBe: "an object with \(known.joined(separator: ", "))")
    }
    do throws(RecordError) {
      return try json.members(of: name, known: known).map { member -> JSON? in
        member.flatMap { $0.isNull ? nil : $0 }
      }
    } catch {
      throw self.error(error.message)
    }
  }
}
