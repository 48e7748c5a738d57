internal import Records
internal import Synchronization

/// What the writer tells the readers about how the file is open.
final class FileUse: Sendable {
  private let openings = Atomic<Int>(0)
  private let isWriterOpen = Atomic<Bool>(false)
  private let replacing = Mutex<Void>(())

  /// How often the writer has opened or closed the file: a reader's connection from before may be of another
  /// file, or know it in another way.
  var generation: Int { openings.load(ordering: .acquiring) }

  /// Whether the file is open for writing. While it is not, readers must not keep it open between their
  /// snapshots: the engine would share with the writer what they could open only for reading.
  var isWritable: Bool { isWriterOpen.load(ordering: .acquiring) }

  /// Opens the file, which nobody puts another in the place of meanwhile, or does that: the engine finds what
  /// belongs to a file by its name.
  func opening<Value>(_ open: () throws(RecordError) -> sending Value) throws(RecordError) -> sending Value {
    try replacing.withLock { _ throws(RecordError) in try open() }
  }

  func noteWriter(isOpen: Bool) {
    isWriterOpen.store(isOpen, ordering: .releasing)
    openings.add(1, ordering: .acquiringAndReleasing)
  }
}
