import JSONRPC

/// A file that says how far a verb has come with the changes, so that it goes on from there when started again.
final class StateFile {
  /// The position up to which everything was taken in; nil when nothing is noted yet.
  private(set) var changeToken: String?
  /// An earlier run began, and ended before it could note a position: what it printed of the beginning is not whole.
  private(set) var isInterrupted = false
  private let verb: String
  private let watched: JSONNode
  private let file: LockedFile

  /// Opens and locks the file, which is made if there is none.
  ///
  /// - Parameters:
  ///   - path: Where it is; a symbolic link is followed.
  ///   - verb: Whose state it is.
  ///   - watched: What the changes are of: a state of anything else is refused.
  /// - Throws: `Failure.trouble` when the file can't be used, is another program's at the moment, or is no such
  ///   state. The file is as it was then.
  init(_ path: String, verb: String, watched: JSONNode) throws(Failure) {
    self.verb = verb
    self.watched = watched
    file = try LockedFile(path)
    try readState()
  }

  /// Notes that something is printed from here on, where no position is noted yet.
  func begin() throws(Failure) {
    if changeToken == nil, !isInterrupted { try write(.null) }
  }

  /// Notes a position, unless it is noted already; on the disk when this returns.
  func save(_ token: String) throws(Failure) {
    guard token != changeToken else { return }
    try write(.string(token))
    changeToken = token
  }

  private func write(_ token: JSONNode) throws(Failure) {
    let state: JSONNode = [
      "listsrpc": .string(verb), "watched": watched, "changeToken": token,
    ]
    try file.replace(state.encoded() + [0x0A])
  }

  private func readState() throws(Failure) {
    let bytes = try file.read()
    // It was made to be locked, and nothing was noted before the end.
    if bytes.isEmpty { return }
    let path = file.path
    guard let state = try? JSON(parsing: bytes), let owner = state["listsrpc"]?.stringValue,
      let other = state["watched"], let token = state["changeToken"], token.isNull || token.kind == .string
    else { throw .trouble("\(path) is no state of 'listsrpc \(verb)'; it was left alone") }
    guard owner == verb else {
      throw .trouble("\(path) is a state of 'listsrpc \(DisplayText.harmless(owner))', not of '\(verb)'")
    }
    guard JSONNode(other) == JSONNode(watched.json) else {
      throw .trouble(
        "\(path) is the state of other changes than those asked for.\n  there:  "
          + "\(DisplayText.harmless(other.text))\n  asked:  \(DisplayText.harmless(watched.json.text))\n"
          + "Use another file, or remove this one to begin anew.")
    }
    changeToken = token.stringValue
    isInterrupted = token.isNull
  }
}
