import JSONRPC
import ListsClient

/// What the data of an error adds to its message.
extension Failure {
  /// Points at the place in the predicate where it can't be read.
  func explainingPredicate(_ predicate: String?) -> Failure {
    guard let predicate, let error = rejection,
      let column = error.data?["column"]?.int64Value, column >= 1, column <= predicate.count + 1,
      !predicate.contains(where: \.isNewline)
    else { return self }
    let before = DisplayText.width(predicate.prefix(Int(column) - 1))
    let pointer = String(repeating: " ", count: before) + "^"
    return .explained(error, "\(error.message)\n  \(DisplayText.harmless(predicate))\n  \(pointer)")
  }

  /// Says what the tag of the record that could not be saved is now, and what to do.
  func explainingConflict() -> Failure {
    explainingConflict("fetch it and save with --tag, or use --policy changedKeys to merge.")
  }

  /// The same for a record that could not be deleted.
  func explainingConflictOfDeletion() -> Failure {
    explainingConflict("fetch it, and delete it with that --tag if it still may go.")
  }

  private func explainingConflict(_ advice: String) -> Failure {
    guard let error = rejection, error.errorCode == "serverRecordChanged",
      let tag = error.data?["serverRecord"]?["recordChangeTag"]?.stringValue
    else { return self }
    return .explained(error, "\(error.message)\nIts tag is now '\(DisplayText.harmless(tag))': \(advice)")
  }

  /// Text was sent where the field is of another type: says how a value that is none is written.
  func explainingText() -> Failure {
    guard let error = rejection, error.errorCode == "fieldTypeMismatch",
      error.data?["actual"]?.stringValue == "string", let field = error.data?["field"]?.stringValue
    else { return self }
    return .explained(
      error,
      "\(error.message)\n\(DisplayText.harmless(field))=… is text; \(DisplayText.harmless(field)):=… is any JSON value."
    )
  }

  /// Names the records that rules and changes of a type can't be reconciled with.
  func explainingRules() -> Failure {
    guard let error = rejection, error.errorCode == "constraintViolation" else { return self }
    let lines =
      FieldChangesCard.losses(error.data?["lost"], "would be ")
      + FieldChangesCard.violations(error.data?["violations"])
    guard !lines.isEmpty else { return self }
    let message = error.message.replacing("'acceptLoss'", with: "--accept-loss")
    return .explained(error, ([message] + lines).joined(separator: "\n"))
  }

  /// Says how to go on after changes that are no longer kept.
  func explainingExpiry() -> Failure {
    guard let error = rejection, error.errorCode == "changeTokenExpired",
      let fresh = error.data?["changeToken"]?.stringValue
    else { return self }
    return .explained(
      error,
      "\(error.message)\nQuery everything anew, then watch with --since '\(DisplayText.harmless(fresh))'; "
        + "or watch with --initial.")
  }

  /// The same for changes that are fetched.
  func explainingExpiryOfFetched() -> Failure {
    guard let error = rejection, error.errorCode == "changeTokenExpired",
      let fresh = error.data?["changeToken"]?.stringValue
    else { return self }
    return .explained(
      error,
      "\(error.message)\nLeave out --since to have everything that there is; what does not come is gone. "
        + "Or take in what changes from now on, with --since '\(DisplayText.harmless(fresh))'.")
  }

  /// Names the index titles that there are.
  func explainingIndexTitle() -> Failure {
    guard let error = rejection, error.errorCode == "unknownItem",
      let known = error.data?["known"]?.elements.compactMap(\.stringValue), !known.isEmpty
    else { return self }
    let titles = known.map { "'\(DisplayText.harmless($0))'" }.joined(separator: ", ")
    return .explained(error, "\(error.message)\nThere are \(titles).")
  }
}
