internal import Files
internal import Records
internal import SQLite

extension StoreCheck {
  /// Looks for what must be kept of the assets that the record has.
  func expectAssets(of record: StoredRecord, _ id: Int64) throws(SQLiteError) {
    var seen: Set<String> = []
    for asset in record.assets where seen.insert(asset.checksum).inserted {
      expectedUses += 1
      let size = try connection.database.cached("SELECT size FROM asset WHERE checksum = ?1")
      size.bind(asset.checksum, at: 1)
      let known = try size.first { $0.int64(0) }
      let use = try connection.database.cached(
        "SELECT 1 FROM assetUse WHERE checksum = ?1 AND record = ?2 AND until IS NULL")
      use.bind(asset.checksum, at: 1)
      use.bind(id, at: 2)
      let isUsed = try use.first { _ in true } ?? false
      if known != asset.size || !isUsed {
        note(
          .init(
            .assetUse, "that the record has the asset \(asset.checksum.prefix(12))… is not kept",
            recordName: record.recordName, zoneName: record.zoneName))
      }
    }
  }

  /// Whether there are uses of what is not there, and whether the files are there and what they were.
  func checkAssets() throws(SQLiteError) {
    let kept = try connection.database.integer("SELECT count(*) FROM assetUse WHERE until IS NULL") ?? 0
    if kept > expectedUses {
      note(.init(.assetUse, "\(kept - expectedUses) assets are kept of records that have them not"))
    }
    var count = 0
    // One that nothing uses may go at any time.
    let rows = try connection.database.prepare(
      """
      SELECT checksum, size, EXISTS (SELECT 1 FROM assetUse WHERE assetUse.checksum = asset.checksum)
      FROM asset ORDER BY checksum
      """)
    while try rows.step() {
      count += 1
      if count % 64 == 0, isStopped() { return }
      if rows.int64(2) != 0 { checkFile(of: Asset(checksum: rows.text(0), size: rows.int64(1))) }
    }
    self.count(assets: count)
  }

  private func checkFile(of asset: Asset) {
    guard let assets else { return }
    let name = "\(asset.checksum.prefix(12))…"
    do throws(RecordError) {
      let (file, size) = try assets.open(asset.checksum)
      guard size == asset.size else {
        return note(.init(.asset, "the file of the asset \(name) has \(size) of \(asset.size) bytes"))
      }
      guard readsAssets else { return }
      let (_, digest) = try FileContent(file).digest(isStopped: isStopped)
      if SHA256.text(of: digest) != asset.checksum {
        note(.init(.asset, "the file of the asset \(name) is damaged: it has another checksum"))
      }
    } catch {
      guard !isStopped() else { return }
      let isMissing = error.code == .assetFileNotFound
      note(.init(.asset, "the file of the asset \(name) \(isMissing ? "is missing" : "can't be read")"))
    }
  }
}
