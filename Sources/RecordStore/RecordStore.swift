internal import Glibc
public import Records
internal import SQLite
internal import Synchronization

/// The records of one database: one file, one writer, any number of readers.
///
/// Writes are submitted from any thread and carried out in the order of submission by the store's own thread.
/// While one transaction is being made durable, what arrives meanwhile gathers and shares the next one. Reads
/// go through a ``Reader``, on a snapshot, on the caller's thread; long ones can be submitted too.
public final class RecordStore: Sendable {
  let file: StoreFile
  private let limits: StoreLimits
  private let temporaryFolder: TemporaryFolder?
  let use = FileUse()
  private let sectionCache = SectionCache()
  private let mailbox: Mailbox<Writer.Item>
  private let longReads: LongReads
  let advisor: IndexAdvisor
  public let assets: Assets
  private let deliver: @Sendable (CommitGroup) -> Void
  private let thread: WorkerThread
  /// Of all stores, so that what one delivers late is never taken for what another was asked.
  private static let tickets = Atomic<UInt64>(0)
  private let isClosed = Atomic<Bool>(false)

  /// Opens the store, and makes its file when it isn't there.
  ///
  /// A store that can be read and not written at present (read-only, disk full) opens: writes fail until the
  /// cause goes away, which needs no new start.
  ///
  /// - Parameter deliver: is given every outcome, exactly one for each ticket, also on failure, and every
  ///   change. Called on the store's threads, or, after ``close()``, on the one that submits; must not block.
  /// - Throws: `storeDamaged` when the file is no store, `storeTooNew` when it was made by a later version,
  ///   `serviceUnavailable` when it can't be reached, `storageReadOnly` or `storageFull` when it can't be made.
  ///   The file is left as it is.
  public init(
    _ configuration: RecordStoreConfiguration, deliver: @escaping @Sendable (CommitGroup) -> Void
  ) throws(RecordError) {
    let location = try Self.locate(configuration.location)
    let file = StoreFile(
      path: location.path, isDurable: location.folder == nil, busyTimeout: configuration.limits.busyTimeout,
      cacheBytes: configuration.limits.cacheBytes,
      log: configuration.log)
    let mailbox = Mailbox<Writer.Item>()
    let propose: @Sendable (IndexAdvisor.Proposal) -> Void = { proposal in
      mailbox.put { _ in .proposal(proposal) }
    }
    let advisor = IndexAdvisor(
      clock: configuration.clock, propose: configuration.makesAutomaticIndexes ? propose : nil)
    let longReads = LongReads(
      file: file, use: use, advisor: advisor, sectionCache: sectionCache,
      maximumSeconds: configuration.limits.maximumQuerySeconds, deliver: deliver,
      logCopied: { mailbox.put { _ in .logCopied } })
    let assetFolder = AssetFolder(
      besideStore: location.path, isDurable: location.folder == nil, random: .random(in: .min ... .max),
      log: configuration.log)
    // Its records are somewhere else, perhaps to come back: to a new store its files would be nobody's.
    if file.identity == nil, assetFolder.isThere { file.keep(assetFolder, configuration.clock) }
    let writer = Writer(
      file: file, configuration: configuration, mailbox: mailbox, advisor: advisor, use: use,
      assetFolder: assetFolder,
      deliver: deliver, copyLog: { longReads.copyLog() })
    do {
      _ = try writer.open()
    } catch {
      guard error.code == .storageReadOnly || error.code == .storageFull else { throw error }
      do { _ = try file.openReader() } catch let reading {
        throw reading.code == .storeDamaged ? reading : error
      }
    }
    guard let thread = WorkerThread({ writer.run() }) else { throw .storeUnreachable }
    if assetFolder.isThere {
      WorkerThread {
        let files = assetFolder.sweep()
        mailbox.put { _ in .sweepAssets(files) }
      }?.detach()
    }
    assets = Assets(in: assetFolder, limits: configuration.limits, clock: configuration.clock)
    self.file = file
    self.mailbox = mailbox
    self.longReads = longReads
    self.advisor = advisor
    self.deliver = deliver
    self.thread = thread
    limits = configuration.limits
    temporaryFolder = location.folder
  }

  /// As ``close()``, if that was not called.
  deinit { close() }

  // MARK: Writing

  /// Has the request carried out; its outcome comes with a ``CommitGroup``. Any thread.
  ///
  /// A request submitted after another, by whatever threads, takes effect after it.
  public func submit(_ request: WriteRequest) -> Ticket {
    let ticket = nextTicket()
    let isTaken = mailbox.put { waiting in
      waiting < limits.maximumQueuedRequests ? .write(ticket, request) : .rejected(ticket)
    }
    if !isTaken {
      let failure = WriteFailure(error: .stopping, items: [])
      deliver(CommitGroup(answers: [PendingWrite.answer(ticket, .failure(failure))], changeSets: []))
    }
    return ticket
  }

  // MARK: Reading

  /// A reader for the calling thread or actor. Nothing is opened before its first read.
  public func makeReader() -> Reader {
    Reader(file: file, use: use, advisor: advisor, sectionCache: sectionCache)
  }

  /// A reader of a file that no store of this process has open.
  static func makeReader(ofClosed path: String, _ configuration: RecordStoreConfiguration) -> Reader {
    Reader(
      file: StoreFile(path, configuration), use: FileUse(),
      advisor: IndexAdvisor(clock: configuration.clock, propose: nil),
      sectionCache: SectionCache())
  }

  /// Of its file.
  var path: String { file.path }

  /// Has the read carried out apart, on a snapshot that has everything that was delivered before; its outcome
  /// comes with a ``CommitGroup``. Any thread. In the order of submission, but for those that take long.
  public func submit(_ request: ReadRequest) -> Ticket {
    let ticket = nextTicket()
    longReads.read(request, ticket)
    return ticket
  }

  // MARK: Indexes

  /// Makes an index over these parts, in this order, if it isn't there, and builds it at once, whoever may have
  /// to wait. `done` is called on the store's thread.
  func declareIndex(
    recordType: String, parts: [IndexPart], kind: DeclaredIndex.Kind = .ordered,
    done: @escaping @Sendable (RecordError?) -> Void
  ) {
    let shape = IndexShape(kind: kind, parts: parts)
    let isTaken = mailbox.put { _ in .declareIndex(recordType: recordType, shape, done: done) }
    if !isTaken { done(.stopping) }
  }

  func declareIndex(
    recordType: String, paths: [FieldPath], done: @escaping @Sendable (RecordError?) -> Void
  ) {
    declareIndex(recordType: recordType, parts: paths.map { IndexPart($0) }, done: done)
  }

  // MARK: The file

  /// False after ``close()``.
  func submit(_ replacement: FileReplacement) -> Bool { mailbox.put { _ in .replaceFile(replacement) } }

  /// Has the file left as it is, for reading only, until another takes its place or ``resume()``; `done` is called on the
  /// store's thread. False after ``close()``.
  func suspend(done: @escaping @Sendable (RecordError?) -> Void) -> Bool {
    mailbox.put { _ in .suspend(done: done) }
  }

  func resume() { _ = mailbox.put { _ in .resume } }

  /// Whether it is closed, or being closed.
  var isStopped: Bool { isClosed.load(ordering: .acquiring) }

  // MARK: Life

  /// Calls `answer` on the store's thread when everything that was submitted before is done: a proof that
  /// the writer turns. At once after ``close()``.
  public func ping(_ answer: @escaping @Sendable () -> Void) {
    if !mailbox.put({ _ in .ping(answer) }) { answer() }
  }

  /// Carries out what was submitted, then stops the store's threads and returns. Later submissions fail with
  /// `serviceUnavailable`. Not to be called from `deliver`.
  public func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    mailbox.close()
    thread.join()
    longReads.stop()
    assets.folder.close()
    if temporaryFolder != nil { assets.folder.removeAll() }
    temporaryFolder?.remove()
  }

  private func nextTicket() -> Ticket {
    Ticket(number: Self.tickets.add(1, ordering: .relaxed).newValue)
  }

  private static func locate(
    _ location: RecordStoreConfiguration.Location
  ) throws(RecordError) -> (path: String, folder: TemporaryFolder?) {
    switch location {
    case .file(let path): return (path, nil)
    case .memory:
      let folder = try TemporaryFolder()
      return (folder.path + "/store.db", folder)
    }
  }
}
