internal import Glibc
public import Records
internal import Synchronization

/// A container and the databases that were made in it.
public struct ContainerDescription: Sendable, Equatable {
  public struct Database: Sendable, Equatable {
    public var database: StoreID.Database
    /// Of its files.
    public var bytes: Int
    /// Nil when that can't be read at present.
    public var records: Int?
  }

  public var name: String
  public var databases: [Database]
}

extension StoreDirectory {
  /// All containers, the default one first, then by name. Reads files: not for a thread that others wait for.
  public func containers() throws(RecordError) -> [ContainerDescription] {
    switch location {
    case .memory: return containersInMemory()
    case .folder(let root):
      let (folders, stores) = try state.withLock { (state: inout State) throws(RecordError) in
        guard !state.isClosed else { throw .stopping }
        try takeFolder(root, &state)
        var folders = [(name: StoreID.defaultContainer, folder: "default")]
        for name in try state.catalogue?.containers() ?? [] where !state.removing.contains(Name(name)) {
          guard let number = try state.catalogue?.number(of: name) else { continue }
          folders.append((name, ContainerCatalogue.folder(number)))
        }
        return (folders, state.stores)
      }
      return folders.map { name, folder in
        let databases = Folder.names(in: "\(root)/\(folder)").compactMap { file in
          StoreID.Database(fileName: file).map { database in
            describe(
              database, "\(root)/\(folder)/\(file)", stores[StoreID(container: name, database: database)])
          }
        }
        return ContainerDescription(name: name, databases: databases)
      }
    }
  }

  private func containersInMemory() -> [ContainerDescription] {
    let stores = openStores
    let names = Set(stores.keys.map { Name($0.container) } + [Name(StoreID.defaultContainer)]).map(\.text)
    let isDefault = { (name: String) in name.hasSameUTF8(as: StoreID.defaultContainer) }
    let sorted =
      names.filter(isDefault)
      + names.filter { !isDefault($0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return sorted.map { name in
      let own = stores.filter { $0.key.container.hasSameUTF8(as: name) }
        .sorted { $0.key.database.fileName < $1.key.database.fileName }
      return ContainerDescription(
        name: name, databases: own.map { describe($0.key.database, $0.value.path, $0.value) })
    }
  }

  private func describe(
    _ database: StoreID.Database, _ path: String, _ store: RecordStore?
  ) -> ContainerDescription.Database {
    let reader = store.map { $0.makeReader() } ?? RecordStore.makeReader(ofClosed: path, template)
    defer { reader.renew() }
    return .init(
      database: database, bytes: ["", "-wal"].reduce(0) { $0 + (Folder.size(of: path + $1) ?? 0) },
      records: (try? reader.statistics())?.records)
  }
}

// MARK: - Removing

extension StoreDirectory {
  /// What a removal came to.
  public struct Removal: Sendable {
    /// Those of the container that were open, and are closed now, also after a failure.
    public var closed: [RecordStore]
    /// Why the container is still there; nil when it is gone.
    public var failure: RecordError?
  }

  /// Removes a container with everything in it. Blocks until what was submitted to its stores is done.
  ///
  /// Whoever asks for one of its stores meanwhile gets `serviceUnavailable`, afterwards a new one. After a crash the
  /// container is there whole, or the next start removes what is left of it.
  ///
  /// Throws `unknownItem`, `invalidArguments` for the default container, `storageReadOnly` and the like; then nothing
  /// was done.
  public func removeContainer(_ container: String) throws(RecordError) -> Removal {
    try StoreID.check(container)
    guard !container.hasSameUTF8(as: StoreID.defaultContainer) else { throw .defaultContainerStays }
    let name = Name(container)
    // The lock is kept as long as this needs it, also when the directory is closed meanwhile.
    let (number, stores, lock) = try state.withLock { (state: inout State) throws(RecordError) in
      guard !state.isClosed else { throw .stopping }
      guard !state.removing.contains(name) else { throw .containerIsBeingDeleted }
      let open = state.stores.filter { $0.key.container.hasSameUTF8(as: container) }
      var number: Int?
      if case .folder(let root) = location {
        try takeFolder(root, &state)
        number = try state.catalogue?.number(of: container)
        guard number != nil else { throw .unknownContainer(container) }
        guard access(root, W_OK) == 0 else { throw Folder.failure(errno, root, template.log) }
      } else if open.isEmpty {
        throw .unknownContainer(container)
      }
      state.removing.insert(name)
      for id in open.keys { state.stores[id] = nil }
      return (number, Array(open.values), state.lock)
    }
    for store in stores { store.close() }
    var removal = Removal(closed: stores)
    if case .folder(let root) = location, let number {
      do throws(RecordError) { try moveAway(root, number, container) } catch { removal.failure = error }
    }
    state.withLock { _ = $0.removing.remove(name) }
    if case .folder(let root) = location, let number, removal.failure == nil {
      Folder.removeAll(root + "/" + ContainerCatalogue.removedFolder(number), log: template.log)
    }
    withExtendedLifetime(lock) {}
    return removal
  }

  /// Gives the folder a name that says it is gone, then forgets the container: in this order, so that the name
  /// tells after a crash what is to be done.
  private func moveAway(_ root: String, _ number: Int, _ container: String) throws(RecordError) {
    let folder = root + "/" + ContainerCatalogue.folder(number)
    let removed = root + "/" + ContainerCatalogue.removedFolder(number)
    // What an earlier removal may have left.
    Folder.removeAll(removed, log: template.log)
    guard rename(folder, removed) == 0 || errno == ENOENT else {
      throw Folder.failure(errno, folder, template.log)
    }
    Folder.sync(parentOf: folder)
    do {
      try state.withLock { (state: inout State) throws(RecordError) in try state.catalogue?.remove(container)
      }
    } catch {
      rename(removed, folder)
      throw error
    }
  }

  /// Removes what a process that ended left of containers that it was removing.
  func finishRemovals(in root: String, _ catalogue: inout ContainerCatalogue) {
    for name in Folder.names(in: root) {
      guard let number = ContainerCatalogue.removedNumber(name) else { continue }
      if let container = catalogue.container(number),
        access(root + "/" + ContainerCatalogue.folder(number), F_OK) != 0
      {
        // Should that fail it is a container without records.
        try? catalogue.remove(container)
      }
      Folder.removeAll(root + "/" + name, log: template.log)
    }
  }
}

extension StoreID.Database {
  var fileName: String {
    switch self {
    case .public: "public.db"
    case .private(let user): "private-\(user).db"
    }
  }

  /// Nil for the name of another file.
  init?(fileName: String) {
    if fileName == "public.db" {
      self = .public
      return
    }
    let (prefix, suffix) = ("private-", ".db")
    guard fileName.hasPrefix(prefix), fileName.hasSuffix(suffix),
      let user = UInt32(fileName.dropFirst(prefix.count).dropLast(suffix.count))
    else { return nil }
    self = .private(user)
    guard fileName == self.fileName else { return nil }
  }
}

extension RecordError {
  public static let containerIsBeingDeleted = RecordError(
    .serviceUnavailable, "the container is being deleted; afterwards it can be made anew", retryAfter: 0.1)
  fileprivate static let defaultContainerStays = RecordError(
    .invalidArguments, "the default container can't be deleted; delete its zones and records",
    details: [Detail(name: "parameter", text: "container")])
  fileprivate static func unknownContainer(_ name: String) -> RecordError {
    RecordError(.unknownItem, "there is no container '\(name)'")
  }
}
