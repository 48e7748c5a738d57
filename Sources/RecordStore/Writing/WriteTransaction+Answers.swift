internal import Records
internal import SQLite

/// How many answers are kept, and how much they take.
struct KeptAnswers {
  var count: Int64
  var bytes: Int64
}

/// What was answered under a key.
private struct KeptAnswer {
  let digest: [UInt8]
  let timestamp: Int64
  let bytes: Int64
  let result: [UInt8]
}

extension WriteTransaction {
  /// Carries out the request, unless that was done under its key before.
  ///
  /// The answer is written with what it tells of, so that after whatever end of the process there are both or none.
  mutating func answer(_ request: WriteRequest) throws(SQLiteError) -> Outcome {
    guard let key = request.idempotencyKey else { return .write(try carryOut(request)) }
    if let outcome = try connection.outcome(under: key, of: request.caller, at: oldestAnswer) {
      return outcome
    }
    let result = try carryOut(request)
    if case .success(let written) = result, let answer = key.answer(written) {
      try keep(answer, under: key, of: request.caller)
    }
    return .write(result)
  }

  /// When the oldest answer was given that counts.
  private var oldestAnswer: Int64 { configuration.oldestAnswer }

  private mutating func keep(
    _ answer: [UInt8], under key: IdempotencyKey, of caller: Caller
  ) throws(SQLiteError) {
    var kept = if let known = state.answers { known } else { try connection.countAnswers() }
    if let outdated = try connection.answer(key.text, of: caller) { kept -= outdated.bytes }
    let put = try connection.statement(.putAnswer)
    put.bind(Int64(caller.userID), at: 1)
    put.bind(key.text, at: 2)
    put.bind(key.digest, at: 3)
    put.bind(configuration.clock(), at: 4)
    put.bind(answer, at: 5)
    put.bind(Int64(answer.count), at: 6)
    try put.run()
    kept.count += 1
    kept.bytes += Int64(answer.count)
    try dropOldAnswers(of: &kept)
    state.answers = kept
    keepsAnswers = true
  }

  /// Removes what need not be kept longer, a bounded number with each answer that comes; the one that came last
  /// stays.
  private func dropOldAnswers(of kept: inout KeptAnswers) throws(SQLiteError) {
    let limits = configuration.limits
    var removed: [(user: Int64, key: String)] = []
    let oldest = try connection.statement(.oldestAnswers)
    while removed.count < 64, try oldest.step() {
      let isOutdated = oldest.int64(2) <= oldestAnswer
      let isTooMuch = kept.count > limits.maximumAnswers || kept.bytes > limits.maximumAnswerBytes
      guard isOutdated || isTooMuch && kept.count > 1 else { break }
      removed.append((oldest.int64(0), oldest.text(1)))
      kept -= oldest.int64(3)
    }
    oldest.reset()
    let remove = try connection.statement(.removeAnswer)
    for answer in removed {
      remove.bind(answer.user, at: 1)
      remove.bind(answer.key, at: 2)
      try remove.run()
    }
  }
}

extension KeptAnswers {
  /// Less one, of so many bytes.
  fileprivate static func -= (kept: inout KeptAnswers, bytes: Int64) {
    kept.count -= 1
    kept.bytes -= bytes
  }
}

extension RecordStoreConfiguration {
  /// When the oldest answer was given that counts.
  var oldestAnswer: Int64 {
    clock().subtractingReportingOverflow(limits.maximumAnswerAge).partialValue
  }
}

extension Connection {
  /// How a request under a key that was used ends, without anything being done; nil for a new key. Answers up to
  /// `outdated` don't count.
  func outcome(
    under key: IdempotencyKey, of caller: Caller, at outdated: Int64
  ) throws(SQLiteError) -> Outcome? {
    guard let kept = try answer(key.text, of: caller), kept.timestamp > outdated else { return nil }
    return .repeated(kept.digest == key.digest ? .success(kept.result) : .failure(.keyReused))
  }

  fileprivate func answer(_ key: String, of caller: Caller) throws(SQLiteError) -> KeptAnswer? {
    let find = try statement(.answerByKey)
    find.bind(Int64(caller.userID), at: 1)
    find.bind(key, at: 2)
    return try find.first {
      KeptAnswer(digest: $0.bytes(0), timestamp: $0.int64(1), bytes: $0.int64(3), result: $0.bytes(2))
    }
  }

  fileprivate func countAnswers() throws(SQLiteError) -> KeptAnswers {
    try statement(.countAnswers).first { KeptAnswers(count: $0.int64(0), bytes: $0.int64(1)) }
      ?? KeptAnswers(count: 0, bytes: 0)
  }
}

extension RecordError {
  fileprivate static let keyReused = RecordError(
    .invalidArguments, "the idempotency key was used for another request; a new request needs a new key",
    details: [Detail(name: "parameter", text: "idempotencyKey"), Detail(name: "reason", text: "keyReused")])
}
