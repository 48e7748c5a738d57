import ArgumentParsing
import Glibc
import JSONRPC
import ListsClient

/// How the program ends.
enum ExitStatus: Int32, CaseIterable {
  case success = 0
  case rejected = 1
  case usage = 2
  case unreachable = 3
  case notFound = 4
  case conflict = 5
  case interrupted = 130

  var meaning: String {
    switch self {
    case .success: "Done; also when whoever reads the output closed it early."
    case .rejected: "The service answered with an error, a row could not be imported, or a file not read."
    case .usage: "The command line can't be understood."
    case .unreachable: "The service can't be reached, or the connection was lost."
    case .notFound: "There is no such record."
    case .conflict: "The record changed, or exists already: fetch it and try again."
    case .interrupted: "Interrupted with Ctrl-C."
    }
  }
}

/// Why a verb ended before its end.
enum Failure: Error {
  case usage(UsageError, verb: String?)
  case client(ClientError)
  /// An error of the service, with a longer explanation than its message.
  case explained(ClientError.ServiceError, String)
  /// The error is to be printed as JSON.
  case json(ClientError.ServiceError)
  /// Input can't be read or understood, or output not written.
  case trouble(String)
  /// What went wrong has been said already.
  case reported(ExitStatus)
  /// Whoever reads the output has closed it.
  case outputClosed

  init(usage message: String, verb: String) {
    self = .usage(UsageError(message), verb: verb)
  }

  /// The error that the service answered with, while it is not explained yet.
  var rejection: ClientError.ServiceError? {
    if case .client(.rejected(let error)) = self { error } else { nil }
  }

  /// There is no service, or none any more: nobody knows what became of the request.
  var isOfConnection: Bool {
    switch self {
    case .client(.unreachable), .client(.connectionLost): true
    default: false
    }
  }

  var exitStatus: ExitStatus {
    switch self {
    case .usage: .usage
    case .client(.rejected(let error)), .explained(let error, _), .json(let error): Self.status(of: error)
    case .client(.unreachable), .client(.connectionLost): .unreachable
    case .client, .trouble: .rejected
    case .reported(let status): status
    case .outputClosed: .success
    }
  }

  static func status(of error: ClientError.ServiceError) -> ExitStatus {
    switch error.errorCode {
    case "unknownItem": .notFound
    case "serverRecordChanged": .conflict
    default: .rejected
    }
  }

  /// Tells the user.
  func report(to errors: Output) {
    switch self {
    case .outputClosed, .reported: return
    case .usage(let error, let verb):
      let help = "listsrpc " + (verb.map { $0 + " " } ?? "") + "--help"
      errors.say("\(error.message)\nTry '\(help)'.")
    case .client(let error): errors.say(error.description)
    case .explained(_, let text): errors.say(text)
    case .json(let error):
      try? errors.writeLine(error.node.encoded())
      try? errors.flush()
    case .trouble(let text): errors.say(text)
    }
  }

  /// The failure as it is to be reported: the service's errors as JSON if asked for.
  func reportable(showsJSON: Bool) -> Failure {
    switch self {
    case .client(.rejected(let error)) where showsJSON, .explained(let error, _) where showsJSON: .json(error)
    default: self
    }
  }
}

extension ClientError.ServiceError {
  /// The error object of the wire.
  var node: JSONNode {
    var members: [(String, JSONNode)] = [("code", .int(Int64(code))), ("message", .string(message))]
    if let data { members.append(("data", .json(data))) }
    return .object(members)
  }
}
