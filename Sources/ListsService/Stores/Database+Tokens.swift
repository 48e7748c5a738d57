internal import RecordStore
internal import Records

extension Database {
  /// A change token that a client sent as a parameter of that name. Whether its position can be gone on from is for
  /// the store to say.
  ///
  /// Throws `invalidArguments` for the token between two pages of `fetchChanges`, `changeTokenExpired` for text that
  /// is no token of any store.
  func changeToken(_ text: String, parameter name: String) throws(RecordError) -> ChangeToken {
    guard let token = try changesCursor(text).changeToken else {
      throw .parameter(
        name, mustBe: "a change token; this one is good for the next page of fetchChanges only")
    }
    return token
  }

  /// A change token, or the token between two pages of `fetchChanges`. Throws `changeTokenExpired` for anything else.
  func changesCursor(_ text: String) throws(RecordError) -> ChangesCursor {
    guard let cursor = ChangesCursor(text: text) else {
      throw RecordError(
        .changeTokenExpired, "the change token is not one of this store",
        details: [
          RecordError.Detail("changeToken", try position().token.text),
          RecordError.Detail("reason", "otherStore"),
        ])
    }
    return cursor
  }
}
