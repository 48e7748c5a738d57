internal import Glibc
internal import Records
internal import SQLite

/// The one that changes a store's file: takes whatever waits in its mailbox into one transaction, and tells
/// the outcome when it is durable. Runs on a thread of its own.
final class Writer {
  enum Item: Sendable {
    case write(Ticket, WriteRequest)
    /// There was no room for the request itself.
    case rejected(Ticket)
    case declareIndex(recordType: String, IndexShape, done: @Sendable (RecordError?) -> Void)
    /// Queries want an index.
    case proposal(IndexAdvisor.Proposal)
    /// These files are there.
    case sweepAssets([String])
    /// The background has copied the log into the file.
    case logCopied
    case replaceFile(FileReplacement)
    /// Nothing is to change in the file until it is replaced, or `resume` comes.
    case suspend(done: @Sendable (RecordError?) -> Void)
    case resume
    case ping(@Sendable () -> Void)
  }

  let file: StoreFile
  let configuration: RecordStoreConfiguration
  let mailbox: Mailbox<Item>
  let advisor: IndexAdvisor
  private let use: FileUse
  let deliver: @Sendable (CommitGroup) -> Void
  let copyLog: @Sendable () -> Void

  private(set) var connection: Connection?
  /// Wait until the log is copied: that has the file open.
  var replacements: [FileReplacement] = []
  var suspensions: [@Sendable (RecordError?) -> Void] = []
  /// Whether the file is left alone for the time being.
  private(set) var isSuspended = false
  /// The file that is, or was last, open.
  private var identity: StoreFile.Identity?
  /// The file in which damage was met.
  private var damaged: StoreFile.Identity?
  private(set) var state = StoreState()
  /// Whether `state` is what the file says.
  private(set) var isCurrent = false
  /// Changes when another connection has written.
  private var dataVersion: Int64 = 0
  /// Pages in the log beyond which it is to be copied.
  var pagesForCopying: Int
  var indexWork = IndexWork.unknown
  /// The schema in which index work was looked for.
  var schemaSeen: Int64 = -1
  /// When readers were told last of index work, on the clock that never goes back.
  var progressTold: UInt64 = 0
  /// When the uses of indexes were written down.
  var usesKept: Int64
  let assetFolder: AssetFolder
  var assetPass = AssetPass()

  init(
    file: StoreFile, configuration: RecordStoreConfiguration, mailbox: Mailbox<Item>, advisor: IndexAdvisor,
    use: FileUse, assetFolder: AssetFolder, deliver: @escaping @Sendable (CommitGroup) -> Void,
    copyLog: @escaping @Sendable () -> Void
  ) {
    self.file = file
    self.configuration = configuration
    self.mailbox = mailbox
    self.advisor = advisor
    self.use = use
    self.assetFolder = assetFolder
    self.deliver = deliver
    self.copyLog = copyLog
    pagesForCopying = configuration.limits.checkpointPages
    usesKept = configuration.clock()
  }

  /// The thread's function: returns when the mailbox is closed and empty.
  func run() {
    while let items = mayWorkOnIndexes ? mailbox.takeWaiting() : mailbox.takeAll() {
      if !items.isEmpty { handle(items) }
      if mayWorkOnIndexes { advanceIndexes() }
    }
    for replacement in replacements { replacement.done(.failure(.stopping)) }
    for done in suspensions { done(.stopping) }
    keepUses()
    // Everything into the file itself, so that it is whole wherever it is taken.
    connection?.database.setBusyTimeout(20)
    _ = try? connection?.database.checkpoint(.truncate)
    connection = nil
  }

  /// Not while the log is being copied, which would not come to an end with what indexes add to it: word comes
  /// when it is.
  private var mayWorkOnIndexes: Bool { indexWork.isOpen && !isCopyingLog }

  private func handle(_ items: [Item]) {
    var requests: [PendingWrite] = []
    var rejected: [CommitGroup.Answer] = []
    var pings: [@Sendable () -> Void] = []
    var proposals: [IndexAdvisor.Proposal] = []
    var isLogCopied = false
    for item in items {
      switch item {
      case .write(let ticket, let request): requests.append(PendingWrite(ticket: ticket, request: request))
      case .rejected(let ticket):
        rejected.append(PendingWrite.answer(ticket, .failure(WriteFailure(error: .overloaded, items: []))))
      case .declareIndex(let recordType, let shape, let done):
        done(declareIndex(recordType: recordType, shape))
      case .proposal(let proposal): proposals.append(proposal)
      case .sweepAssets(let checksums): sweepAssets(checksums)
      case .logCopied: isLogCopied = true
      case .replaceFile(let replacement): replacements.append(replacement)
      case .suspend(let done): suspensions.append(done)
      case .resume: resume()
      case .ping(let answer): pings.append(answer)
      }
    }
    var group = requests.isEmpty ? CommitGroup(answers: [], changeSets: []) : carryOut(requests)
    group.answers += rejected
    if isLogCopied { finishCopyingLog() }
    if !group.answers.isEmpty || !group.changeSets.isEmpty || isLogCopied { deliver(group) }
    if isLogCopied { restartLog() }
    if !isCopyingLog { changeFile() }
    consider(proposals)
    keepUsesAtTimes()
    collectAssets()
    for answer in pings { answer() }
    copyLogIfLong()
    if !group.changeSets.isEmpty { takeRoom() }
    lookForIndexWork()
  }

  // MARK: Requests

  /// All requests in one transaction; when that fails for the sake of one of them, each in one of its own, so
  /// that only those fail that must.
  private func carryOut(_ requests: [PendingWrite]) -> CommitGroup {
    if DiskRoom(forFile: file.path)?.isShort == true {
      makeRoom()
      return each(requests, savingRoom: true)
    }
    do {
      return try attempt(requests)
    } catch {
      switch error.code {
      case .storageFull:
        makeRoom()
        return each(requests, savingRoom: true)
      case .internalError, .limitExceeded: return each(requests, savingRoom: false)
      case .storageReadOnly where file.canBeWritten: return afterReadersLetGo(requests)
      default: return failed(requests, error)
      }
    }
  }

  /// Readers that opened the file when it could not be written share with the writer what they could open only so,
  /// until they hear of a group.
  private func afterReadersLetGo(_ requests: [PendingWrite]) -> CommitGroup {
    deliver(CommitGroup(answers: [], changeSets: []))
    for _ in 0..<50 {
      usleep(2000)
      do { return try attempt(requests) } catch {
        guard error.code == .storageReadOnly, file.canBeWritten else { return failed(requests, error) }
      }
    }
    return failed(requests, .storageReadOnly)
  }

  private func each(_ requests: [PendingWrite], savingRoom: Bool) -> CommitGroup {
    requests.reduce(into: CommitGroup(answers: [], changeSets: [])) { group, request in
      let part = carryOutAlone(request, savingRoom: savingRoom)
      group.answers += part.answers
      group.changeSets += part.changeSets
    }
  }

  private func carryOutAlone(_ request: PendingWrite, savingRoom: Bool) -> CommitGroup {
    do throws(RecordError) {
      if savingRoom, request.saves, !hasRoom {
        // What was done before is no less done.
        if let outcome = keptOutcome(of: request.request) {
          return CommitGroup(answers: [request.answer(outcome)], changeSets: [])
        }
        throw RecordError.storageFull
      }
      return try attempt([request], keepsHistory: !savingRoom)
    } catch {
      return failed([request], error)
    }
  }

  private func keptOutcome(of request: WriteRequest) -> Outcome? {
    guard let key = request.idempotencyKey, let connection = try? open() else { return nil }
    return try? connection.outcome(under: key, of: request.caller, at: configuration.oldestAnswer)
  }

  private func failed(_ requests: [PendingWrite], _ error: RecordError) -> CommitGroup {
    CommitGroup(
      answers: requests.map { $0.answer(.failure(WriteFailure(error: error, items: []))) }, changeSets: [])
  }

  /// Either everything that the outcomes say is done and durable, or nothing is and this throws.
  private func attempt(_ requests: [PendingWrite], keepsHistory: Bool = true) throws(RecordError)
    -> CommitGroup
  {
    try transact(keepsHistory: keepsHistory) { (work: inout WriteTransaction) throws(SQLiteError) in
      var answers: [CommitGroup.Answer] = []
      answers.reserveCapacity(requests.count)
      for request in requests { answers.append(request.answer(try work.answer(request.request))) }
      return CommitGroup(answers: answers, changeSets: work.changeSets)
    }
  }

  /// Runs `body` in a transaction of the file as it is now.
  func transact<Value>(
    keepsHistory: Bool = true, _ body: (inout WriteTransaction) throws(SQLiteError) -> Value
  ) throws(RecordError) -> Value {
    let connection = try open()
    do {
      let transaction = try Transaction(.immediate, in: connection.database)
      try refresh(connection)
      var work = WriteTransaction(
        connection: connection, configuration: configuration, keepsHistory: keepsHistory, state: state)
      let value = try body(&work)
      guard
        work.state.lastCommit != state.lastCommit || work.state.schema != state.schema
          || work.state.horizon != state.horizon || work.hasIndexWork || work.changesSubscriptions
          || work.keepsAnswers || work.changesAssets
      else {
        transaction.rollBack()
        return value
      }
      try work.prune()
      try work.state.save(connection)
      isCurrent = false
      try transaction.commit()
      state = work.state
      isCurrent = true
      return value
    } catch {
      isCurrent = false
      switch error.code {
      case .damaged, .notADatabase:
        // Writing on would do more damage. Should another file take its place, that is opened.
        damaged = identity
        close()
      case .readOnly: close()
      default: break
      }
      throw file.explain(error)
    }
  }

  private func declareIndex(recordType: String, _ shape: IndexShape) -> RecordError? {
    do {
      try transact { (work: inout WriteTransaction) throws(SQLiteError) in
        let name = Name(recordType)
        if work.state.types[name]?.indexes.contains(where: { $0.shape == shape }) == false {
          try work.addIndex(shape, origin: .declared, isListed: true, toType: name)
        }
        while try work.advanceIndexes({ true }) {}
      }
      return nil
    } catch {
      return error
    }
  }

  // MARK: The file

  /// The connection, opened when there is none: at first, or after the file could not be written.
  func open() throws(RecordError) -> Connection {
    guard !isSuspended else { throw .storeBeingRepaired }
    let present = file.identity
    if let connection {
      if present == identity { return connection }
      // What is written now would be lost with the file that was taken away.
      file.log("store \(file.path): the file was removed or replaced while it was in use")
      close()
    }
    if let damaged, damaged == present { throw .storeDamaged }
    // A store that was there is not begun anew.
    if identity != nil, present == nil { throw .storeMissing }
    let opened = try file.openWriter(identity: configuration.random())
    connection = opened
    identity = file.identity
    damaged = nil
    isCurrent = false
    use.noteWriter(isOpen: true)
    takeRoomForLog()
    return opened
  }

  func close() {
    connection = nil
    isCurrent = false
    noteClosing()
  }

  /// Readers keep the file open no longer than they read.
  func noteClosing() { use.noteWriter(isOpen: false) }

  func noteSuspended(_ isSuspended: Bool) { self.isSuspended = isSuspended }

  func noteOpen() { use.noteWriter(isOpen: true) }

  /// Runs `replace` while nobody opens the file.
  func replacing(_ replace: () throws(RecordError) -> Void) throws(RecordError) {
    try use.opening { () throws(RecordError) in try replace() }
  }

  /// What is found under its name next is another one.
  func forgetFile() {
    identity = nil
    damaged = nil
    pagesForCopying = configuration.limits.checkpointPages
  }

  /// Reads the state again when it isn't known, or when another program has written.
  private func refresh(_ connection: Connection) throws(SQLiteError) {
    let version = try connection.statement(.dataVersion).first { $0.int64(0) } ?? 0
    if isCurrent, version == dataVersion { return }
    state = try StoreState(reading: connection)
    dataVersion = version
    isCurrent = true
  }

  /// What the file says now.
  func stateNow() throws(RecordError) -> StoreState {
    let connection = try open()
    do {
      let transaction = try Transaction(.deferred, in: connection.database)
      try refresh(connection)
      transaction.rollBack()
      return state
    } catch {
      isCurrent = false
      throw file.explain(error)
    }
  }
}
