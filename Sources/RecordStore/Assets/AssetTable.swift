internal import JSONRPC
public import Records
internal import SQLite

/// The tables of assets and of which records have which, now or in a version that the log keeps.
enum AssetTable {
  /// Fills the table of uses, in a file that had none. Within the caller's transaction.
  static func fill(in database: Database) throws(SQLiteError) {
    // A version in the log may have one in a field that is dropped now.
    let types = "SELECT type FROM field WHERE valueType IN ('asset', 'list<asset>')"
    let insert = try database.prepare(
      """
      INSERT INTO assetUse (checksum, record, until) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET until = excluded.until
      """)
    for rows in [
      "SELECT record, body, version FROM change WHERE body IS NOT NULL ORDER BY version",
      "SELECT id, body, NULL FROM record WHERE body IS NOT NULL AND type IN (\(types))",
    ] {
      let records = try database.prepare(rows)
      while try records.step() {
        for checksum in StoredRecord(body: JSON(unchecked: records.bytes(1))).checksums {
          insert.bind(checksum.text, at: 1)
          insert.bind(records.int64(0), at: 2)
          insert.bind(records.optionalInt64(2), at: 3)
          try insert.run()
        }
      }
    }
  }
}

extension AssetTable {
  /// Those that a record has, or had in a version that is kept.
  static func used(in database: Database) throws(SQLiteError) -> [Asset] {
    var assets: [Asset] = []
    let rows = try database.prepare(
      """
      SELECT checksum, size FROM asset
      WHERE EXISTS (SELECT 1 FROM assetUse WHERE assetUse.checksum = asset.checksum) ORDER BY checksum
      """)
    while try rows.step() { assets.append(Asset(checksum: rows.text(0), size: rows.int64(1))) }
    return assets
  }

  /// Makes the table of uses anew from what the records say, and takes out what none uses. Within the caller's
  /// transaction.
  static func makeAnew(in database: Database) throws(SQLiteError) {
    try database.execute("DELETE FROM assetUse")
    try fill(in: database)
    try database.execute(
      """
      DELETE FROM asset
      WHERE NOT EXISTS (SELECT 1 FROM assetUse WHERE assetUse.checksum = asset.checksum)
      """)
  }
}

extension WriteTransaction {
  // MARK: Files

  /// Makes a file that is there an asset, or says anew that it is wanted. Changes no record: the store's position
  /// stays.
  mutating func apply(saveAsset held: HeldAsset) throws(SQLiteError) -> Result<ItemResult, RecordError> {
    let asset = held.asset
    try put(asset)
    changesAssets = true
    return .success(.savedAsset(asset))
  }

  private func put(_ asset: Asset) throws(SQLiteError) {
    let put = try connection.statement(.putAsset)
    put.bind(asset.checksum, at: 1)
    put.bind(asset.size, at: 2)
    put.bind(configuration.clock(), at: 3)
    try put.run()
  }

  /// Why the fields can't be saved for want of a file. What the record has already it may keep.
  func refusalOfAssets(
    in fields: [RecordBody.Field], over current: StoredRecord?
  ) throws(SQLiteError) -> RecordError? {
    for field in fields {
      let assets = field.value.assets
      if assets.isEmpty { continue }
      let present = current?.value(of: field.name)?.assets ?? []
      for asset in assets where !present.contains(asset) {
        let find = try connection.statement(.sizeOfAsset)
        find.bind(asset.checksum, at: 1)
        let size = try find.first { $0.int64(0) }
        if size != asset.size { return .assetFileNotFound(asset, field: field.name) }
      }
    }
    return nil
  }

  // MARK: Uses

  /// Brings what the table says of a record from one state of it to the other, which is of this version.
  func useAssets(
    _ id: Int64, as type: RecordType, from before: StoredRecord?, to after: StoredRecord?, _ version: Version
  ) throws(SQLiteError) {
    guard type.fields.values.contains(where: { $0.element == .asset }) else { return }
    let old = before?.checksums ?? []
    let new = after?.checksums ?? []
    for checksum in old.subtracting(new) { try end(use: checksum, id, version) }
    for checksum in new.subtracting(old) {
      let insert = try connection.statement(.insertAssetUse)
      insert.bind(checksum.text, at: 1)
      insert.bind(id, at: 2)
      try insert.run()
    }
  }

  private func end(use checksum: Name, _ id: Int64, _ version: Version) throws(SQLiteError) {
    let end = try connection.statement(keepsHistory ? .endAssetUse : .removeAssetUse)
    end.bind(checksum.text, at: 1)
    end.bind(id, at: 2)
    if keepsHistory { end.bind(version.rawValue, at: 3) }
    try end.run()
  }

  /// Takes out what only versions up to this one say, when they are taken out of the log.
  func pruneAssetUses(upTo version: Version) throws(SQLiteError) {
    let remove = try connection.statement(.removeAssetUses)
    remove.bind(version.rawValue, at: 1)
    try remove.run()
  }

  /// Takes over the assets of a record that another store had.
  func adoptAssets(of record: StoredRecord) throws(SQLiteError) {
    for asset in record.assets { try put(asset) }
  }

  // MARK: Collecting

  /// Looks at the next assets in the order of their checksums and takes those out that nothing uses and that were
  /// wanted before then. Their files are the caller's affair.
  ///
  /// - Returns: what was taken out, and where to go on; nil at the end.
  mutating func takeUnusedAssets(
    after checksum: String, wantedBefore time: Int64
  ) throws(SQLiteError) -> (unused: [String], last: String?) {
    var unused: [String] = []
    var last: String?
    var count = 0
    let rows = try connection.statement(.assetsAfter)
    rows.bind(checksum, at: 1)
    rows.bind(time, at: 2)
    while try rows.step() {
      count += 1
      last = rows.text(0)
      if rows.int64(1) != 0, let last { unused.append(last) }
    }
    for checksum in unused {
      let remove = try connection.statement(.removeAsset)
      remove.bind(checksum, at: 1)
      try remove.run()
    }
    if !unused.isEmpty { changesAssets = true }
    return (unused, count < 256 ? nil : last)
  }
}

extension FieldValue {
  fileprivate var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(let elements):
      if case .asset? = elements.first { elements.flatMap(\.assets) } else { [] }
    default: []
    }
  }
}

extension StoredRecord {
  /// Of all its fields.
  var assets: [Asset] { fields.flatMap(\.value.assets) }

  fileprivate func value(of field: String) -> FieldValue? {
    fields.first { $0.name.hasSameUTF8(as: field) }?.value
  }

  fileprivate var checksums: Set<Name> { Set(assets.map { Name($0.checksum) }) }
}

extension Reader {
  /// All assets, by checksum.
  public func assets() throws(RecordError) -> [Asset] {
    try read { (connection, _) throws(SQLiteError) in
      var assets: [Asset] = []
      let rows = try connection.statement(.assets)
      while try rows.step() { assets.append(Asset(checksum: rows.text(0), size: rows.int64(1))) }
      return assets
    }
  }
}
