internal import JSONRPC
internal import Records

/// The parameters that say which records: the same for a query, a count and a subscription.
struct QueryArguments {
  /// Nil only where the method allows it.
  let recordType: String?
  let zoneName: String?
  /// Nil for every record.
  let predicate: Predicate?

  init(_ invocation: Invocation) throws(RecordError) {
    let arguments = invocation.arguments
    recordType = try arguments.string("recordType")
    zoneName = try arguments.string("zoneName")
    let text = try arguments.string("predicate")
    let values = try arguments.list("arguments")
    let variables = try arguments.object("variables")
    guard let text else {
      if values?.isEmpty == false { throw .parameter("arguments", mustBe: "left out without a predicate") }
      predicate = nil
      return
    }
    let limit = invocation.limits.maximumPredicateBytes
    guard text.utf8.count <= limit else {
      throw .limit(
        "maximumPredicateBytes", limit, actual: text.utf8.count,
        "a predicate may have \(limit) bytes at most")
    }
    predicate = try Predicate(parsing: text, arguments: values ?? [], variables: variables)
  }
}
