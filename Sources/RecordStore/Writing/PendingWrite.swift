internal import Records

/// A request that waits for its outcome.
struct PendingWrite: Sendable {
  let ticket: Ticket
  let request: WriteRequest

  /// Whether it wants to save something.
  var saves: Bool {
    request.operations.contains { operation in
      switch operation {
      case .delete, .deleteZone, .deleteSubscription, .deleteRecordType: false
      case .save, .restore, .saveRecordType, .saveZone, .saveSubscription, .saveAsset, .acknowledge: true
      }
    }
  }

  func answer(_ outcome: Outcome) -> CommitGroup.Answer {
    CommitGroup.Answer(ticket: ticket, outcome: outcome)
  }

  func answer(_ result: Result<WriteResult, WriteFailure>) -> CommitGroup.Answer {
    Self.answer(ticket, result)
  }

  static func answer(
    _ ticket: Ticket, _ result: Result<WriteResult, WriteFailure>
  ) -> CommitGroup.Answer {
    CommitGroup.Answer(ticket: ticket, outcome: .write(result))
  }
}
