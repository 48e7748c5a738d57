internal import Records
internal import SQLite

/// How far the writer is with looking for assets that nobody uses.
struct AssetPass {
  /// Looked at last; empty between two passes.
  var last = ""
  /// When the next pass may begin.
  var due: Int64 = 0
}

extension Writer {
  /// Between two passes: milliseconds.
  private static let pauseBetweenPasses: Int64 = 10 * 60_000

  /// Looks at some assets, and removes those that no record has, nor had in a version that is kept, once they are
  /// old enough to have been given to one.
  func collectAssets() {
    let now = configuration.clock()
    guard !assetPass.last.isEmpty || now >= assetPass.due else { return }
    do throws(RecordError) {
      let last = assetPass.last
      let wantedBefore = now - configuration.limits.minimumAssetAge
      let found = try transact { (work: inout WriteTransaction) throws(SQLiteError) in
        try work.takeUnusedAssets(after: last, wantedBefore: wantedBefore)
      }
      remove(found.unused)
      assetPass.last = found.last ?? ""
    } catch {
      // The next pass will find them.
      assetPass.last = ""
    }
    if assetPass.last.isEmpty { assetPass.due = now + Self.pauseBetweenPasses }
  }

  /// Removes those of the files that no row speaks of.
  func sweepAssets(_ checksums: [String]) {
    do throws(RecordError) {
      let connection = try open()
      var orphans: [String] = []
      for checksum in checksums where try !isAsset(checksum, connection) { orphans.append(checksum) }
      remove(orphans)
    } catch {
      // The next start will find them.
    }
  }

  private func isAsset(_ checksum: String, _ connection: Connection) throws(RecordError) -> Bool {
    do {
      let find = try connection.statement(.sizeOfAsset)
      find.bind(checksum, at: 1)
      return try find.first { _ in true } ?? false
    } catch {
      throw file.explain(error)
    }
  }

  private func remove(_ checksums: [String]) {
    guard !checksums.isEmpty else { return }
    let folder = assetFolder
    folder.condemn(checksums)
    // A large file takes long to be removed.
    WorkerThread { folder.removeCondemned() }?.detach()
  }
}
