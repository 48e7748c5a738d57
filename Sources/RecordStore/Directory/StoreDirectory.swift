public import Records
internal import Synchronization

/// All stores of a service: each opened when it is first asked for, under a folder of its container.
///
/// Safe to use from any thread; opening runs on the caller's.
public final class StoreDirectory: Sendable {
  public enum Location: Sendable, Equatable {
    /// The absolute path of a folder, made with mode 0700 when it is not there.
    case folder(String)
    /// Nothing outlives the process.
    case memory
  }

  let location: Location
  let template: RecordStoreConfiguration
  private let maximumContainers: Int
  private let deliver: @Sendable (StoreID, CommitGroup) -> Void
  let state = Mutex(State())

  struct State {
    var stores: [StoreID: RecordStore] = [:]
    var catalogue: ContainerCatalogue?
    /// Had before anything in the folder is opened, and until all is closed.
    var lock: FolderLock?
    /// Containers that are being removed.
    var removing: Set<Name> = []
    /// Stores of which new ones are being made.
    var repairing: Set<StoreID> = []
    /// Where nothing is left of what an earlier process had in the making.
    var swept: Set<StoreID> = []
    var isClosed = false
  }

  /// - Parameters:
  ///   - template: for every store, but for its location.
  ///   - maximumContainers: how many containers may be made, the default one not counted.
  ///   - deliver: as ``RecordStore/init(_:deliver:)``'s, with the store's name.
  public init(
    _ location: Location, template: RecordStoreConfiguration, maximumContainers: Int,
    deliver: @escaping @Sendable (StoreID, CommitGroup) -> Void
  ) {
    self.location = location
    self.template = template
    self.maximumContainers = maximumContainers
    self.deliver = deliver
  }

  /// The store, opened, and made where it isn't there.
  ///
  /// Throws as ``RecordStore/init(_:deliver:)``, each time until it can be opened; `limitExceeded` when the
  /// container would be one too many; `invalidArguments` when its name is not allowed; `storeBusy` while
  /// another process keeps its stores in the folder; `serviceUnavailable` while the container is being removed and
  /// after ``close()``.
  public func store(_ id: StoreID) throws(RecordError) -> RecordStore {
    try state.withLock { (state: inout State) throws(RecordError) -> RecordStore in
      guard !state.isClosed else { throw .stopping }
      if let store = state.stores[id] { return store }
      guard !state.removing.contains(Name(id.container)) else { throw .containerIsBeingDeleted }
      guard !state.repairing.contains(id) else { throw .storeBeingRepaired }
      var configuration = template
      configuration.location = try place(of: id, in: &state)
      if case .file(let path) = configuration.location { sweep(id, path, &state) }
      let deliver = deliver
      let store = try RecordStore(configuration) { deliver(id, $0) }
      state.stores[id] = store
      return store
    }
  }

  /// Those that are open now.
  public var openStores: [StoreID: RecordStore] { state.withLock { $0.stores } }

  /// Closes all (``RecordStore/close()``) and opens no more.
  public func close() {
    let stores = state.withLock { state in
      state.isClosed = true
      return state.stores
    }
    for store in stores.values { store.close() }
    state.withLock { $0.lock = nil }
  }

  func place(
    of id: StoreID, in state: inout State
  ) throws(RecordError) -> RecordStoreConfiguration.Location {
    try StoreID.check(id.container)
    let root: String
    switch location {
    case .memory:
      let containers = Set((state.stores.keys.map(\.container) + [id.container]).map { Name($0) })
      guard containers.subtracting([Name(StoreID.defaultContainer)]).count <= maximumContainers else {
        throw .tooManyContainers(maximumContainers)
      }
      return .memory
    case .folder(let path): root = path
    }
    try takeFolder(root, &state)
    guard let name = try state.catalogue?.folder(of: id.container, atMost: maximumContainers) else {
      throw .storeUnreachable
    }
    let folder = root + "/" + name
    try Folder.make(folder, log: template.log)
    return .file(folder + "/" + id.database.fileName)
  }

  /// Puts an end to what an earlier process had in the making.
  func sweep(_ id: StoreID, _ path: String, _ state: inout State) {
    guard state.swept.insert(id).inserted else { return }
    StoreFile(path, template).finishReplacing()
    Draft.removeOld(of: path)
  }

  /// Makes the folder this directory's own, and what is in it known.
  func takeFolder(_ root: String, _ state: inout State) throws(RecordError) {
    try Folder.make(root, log: template.log)
    if state.lock == nil { state.lock = try FolderLock(root, log: template.log) }
    guard state.catalogue == nil else { return }
    var catalogue = try ContainerCatalogue(in: root, log: template.log)
    finishRemovals(in: root, &catalogue)
    state.catalogue = catalogue
  }
}

extension RecordError {
  static func tooManyContainers(_ limit: Int) -> RecordError {
    .limit("maximumContainers", limit, actual: limit + 1, "there are too many containers")
  }
}
