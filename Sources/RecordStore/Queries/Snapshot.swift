/// What a read is made from: the snapshot, and what all readers of the store share.
struct Snapshot {
  let connection: Connection
  let state: StoreState
  let sectionCache: SectionCache
  /// Told what each query cost.
  let advisor: IndexAdvisor
}
