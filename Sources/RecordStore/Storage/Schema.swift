internal import Records
internal import SQLite

/// The tables of a store's file, and how older ones become these.
enum Schema {
  /// Kept in the file's header (`PRAGMA application_id`): "List".
  static let applicationID: Int64 = 0x4C69_7374
  /// Kept in the file's header (`PRAGMA user_version`).
  static let version: Int64 = 4

  /// Makes the tables in an empty file.
  static func create(in database: Database, identity: Int64) throws(SQLiteError) {
    let transaction = try Transaction(.immediate, in: database)
    try database.execute(
      tables + FullTextIndex.tables + ReferenceTable.table + tablesOfVersion3 + tablesOfVersion4)
    try database.execute("INSERT INTO store VALUES (1, \(identity), 0, 0, 0, 0, 0, 0, 0)")
    let zone = try database.prepare("INSERT INTO zone (id, name) VALUES (1, ?1)")
    zone.bind(Identifier.defaultZone, at: 1)
    try zone.run()
    try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    try transaction.commit()
  }

  /// What a file is, by its header.
  enum State {
    case current
    /// Made by an earlier program: `migrate` makes it current.
    case older(Int64)
    /// Made by a later program.
    case newer(Int64)
    /// No store, though it may be another program's database.
    case foreign
  }

  static func state(of database: Database) throws(SQLiteError) -> State {
    let application = try database.integer("PRAGMA application_id") ?? 0
    guard application == applicationID else { return .foreign }
    let version = try database.integer("PRAGMA user_version") ?? 0
    if version == Self.version { return .current }
    return version > Self.version ? .newer(version) : .older(version)
  }

  /// Brings an older file up to date, in one transaction; all or nothing.
  static func migrate(_ database: Database, from version: Int64) throws(SQLiteError) {
    let transaction = try Transaction(.immediate, in: database)
    for step in migrations.dropFirst(max(Int(version) - 1, 0)) { try database.execute(step) }
    if version < 4 {
      try ReferenceTable.fill(in: database)
      try AssetTable.fill(in: database)
    }
    try database.execute("PRAGMA user_version = \(Self.version)")
    try transaction.commit()
  }

  /// The step at offset n leads from version n + 1 to n + 2.
  private static let migrations = [
    """
    ALTER TABLE type ADD COLUMN automaticIndexes INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE field ADD COLUMN indexes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE declaredIndex ADD COLUMN kind TEXT NOT NULL DEFAULT 'ordered';
    ALTER TABLE declaredIndex ADD COLUMN origin TEXT NOT NULL DEFAULT 'declared';
    ALTER TABLE declaredIndex ADD COLUMN isListed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE declaredIndex ADD COLUMN isDropped INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE declaredIndex ADD COLUMN reached INTEGER;
    ALTER TABLE declaredIndex ADD COLUMN collator TEXT;
    ALTER TABLE declaredIndex ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE declaredIndex ADD COLUMN entries INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE declaredIndex ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE declaredIndex ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE declaredIndex ADD COLUMN lastUsed INTEGER;
    UPDATE declaredIndex SET origin = 'type' WHERE keys = '[]';
    UPDATE declaredIndex SET isListed = 1,
      entries = (SELECT count(*) FROM entry WHERE declaredIndex = declaredIndex.id),
      bytes = (SELECT coalesce(sum(length(key) + length(tie)), 0) FROM entry
        WHERE declaredIndex = declaredIndex.id)
    WHERE origin = 'declared';
    """ + FullTextIndex.tables,
    "ALTER TABLE zone ADD COLUMN deleted INTEGER;" + tablesOfVersion3,
    // What refers to what is worked out anew, with what version 4 knows of it.
    """
    DROP TABLE IF EXISTS reference;
    ALTER TABLE field ADD COLUMN rules TEXT;
    ALTER TABLE change ADD COLUMN cause INTEGER;
    ALTER TABLE change ADD COLUMN deleted INTEGER;
    """ + ReferenceTable.table + tablesOfVersion4,
  ]

  /// Names in the tables are unique by their bytes. Bodies are the records' JSON as it goes out.
  private static let tables = """
    -- One row. Everything in it changes with the commit that makes it so.
    CREATE TABLE store (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      identity INTEGER NOT NULL,        -- random; part of every change token
      lastCommit INTEGER NOT NULL,
      horizon INTEGER NOT NULL,         -- changes up to this commit are no longer kept
      records INTEGER NOT NULL,
      recordBytes INTEGER NOT NULL,
      changes INTEGER NOT NULL,         -- rows of change, and the bytes of their bodies
      changeBytes INTEGER NOT NULL,
      schema INTEGER NOT NULL);         -- grows with every new zone, type, field and index
    -- A run of the service that made commits, from this one on.
    CREATE TABLE epoch (firstCommit INTEGER PRIMARY KEY, nonce INTEGER NOT NULL);
    CREATE TABLE zone (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
      deleted INTEGER);                 -- the version of its deletion; null while it is there
    CREATE TABLE type (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, records INTEGER NOT NULL,
      automaticIndexes INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE field (
      type INTEGER NOT NULL, name TEXT NOT NULL, valueType TEXT NOT NULL,
      indexes INTEGER NOT NULL DEFAULT 0,   -- what is declared of it: FieldIndexing
      rules TEXT,                           -- what its values must be: a JSON object; null for nothing
      PRIMARY KEY (type, name)) WITHOUT ROWID;
    -- A deleted record keeps its row, without body, as long as its deletion is kept in change.
    CREATE TABLE record (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, zone INTEGER NOT NULL, type INTEGER NOT NULL,
      version INTEGER NOT NULL, body BLOB, UNIQUE (name, zone));
    -- The change log. Each row has the version that it made, and what it replaced: previous is null for a
    -- record's first change, body is null where there was no record just before.
    CREATE TABLE change (
      version INTEGER PRIMARY KEY, record INTEGER NOT NULL, user INTEGER NOT NULL, previous INTEGER,
      body BLOB,
      cause INTEGER,                    -- the row of the record whose deletion led to it; null for what was asked for
      deleted INTEGER);                 -- when, in milliseconds, where it was the record's deletion
    CREATE TABLE declaredIndex (
      id INTEGER PRIMARY KEY, type INTEGER NOT NULL,
      keys TEXT NOT NULL,                     -- a JSON list; empty for the index that every type has
      kind TEXT NOT NULL DEFAULT 'ordered',   -- these two: DeclaredIndex.Kind and Origin
      origin TEXT NOT NULL DEFAULT 'declared',
      isListed INTEGER NOT NULL DEFAULT 0,    -- whether it is in the type's own list
      isDropped INTEGER NOT NULL DEFAULT 0,   -- whether nothing is left to do but to remove its entries
      reached INTEGER,                        -- the row up to which it is built; null when it is whole
      collator TEXT,                          -- the version that its localized keys or words are of
      made INTEGER NOT NULL DEFAULT 0,        -- when, in milliseconds
      entries INTEGER NOT NULL DEFAULT 0,     -- how many it has and the bytes of their blobs, not kept for
      bytes INTEGER NOT NULL DEFAULT 0,       -- the index that every type has
      uses INTEGER NOT NULL DEFAULT 0, lastUsed INTEGER);
    -- Every index, in the order of its keys; see IndexKey for the form of both blobs.
    CREATE TABLE entry (
      declaredIndex INTEGER NOT NULL, key BLOB NOT NULL, tie BLOB NOT NULL, record INTEGER NOT NULL,
      PRIMARY KEY (declaredIndex, key, tie)) WITHOUT ROWID;
    """
  private static let tablesOfVersion3 = """
    -- What a user's programs have subscribed to for good, and how far they have it. The position is a change
    -- token's text.
    CREATE TABLE subscription (
      user INTEGER NOT NULL, id TEXT NOT NULL, definition TEXT NOT NULL, position TEXT NOT NULL,
      isStarted INTEGER NOT NULL, PRIMARY KEY (user, id)) WITHOUT ROWID;
    -- The first commit made at or after a moment, in milliseconds: how old kept changes are.
    CREATE TABLE moment (firstCommit INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL);
    """

  private static let tablesOfVersion4 = """
    -- What was answered to requests with an idempotency key, to be answered again.
    CREATE TABLE idempotency (
      user INTEGER NOT NULL, key TEXT NOT NULL,
      digest BLOB NOT NULL,             -- SHA-256 of what was asked for
      timestamp INTEGER NOT NULL,       -- when, in milliseconds
      result BLOB NOT NULL,             -- JSON
      bytes INTEGER NOT NULL,           -- of the result
      PRIMARY KEY (user, key)) WITHOUT ROWID;
    CREATE INDEX idempotencyByAge ON idempotency (timestamp, bytes);
    -- The files beside this one, by the SHA-256 of what is in them.
    CREATE TABLE asset (
      checksum TEXT PRIMARY KEY, size INTEGER NOT NULL,
      added INTEGER NOT NULL            -- when it was last said to be there, in milliseconds
      ) WITHOUT ROWID;
    -- Which records have which assets, or had them in a version that is kept in change; as in reference.
    CREATE TABLE assetUse (
      checksum TEXT NOT NULL, record INTEGER NOT NULL, until INTEGER,
      PRIMARY KEY (checksum, record)) WITHOUT ROWID;
    CREATE INDEX endedAssetUse ON assetUse (until) WHERE until IS NOT NULL;
    -- What became of fields of a type, for versions from before this one that are brought back: a JSON object.
    CREATE TABLE fieldChange (
      id INTEGER PRIMARY KEY, version INTEGER NOT NULL, type TEXT NOT NULL, fates TEXT NOT NULL);
    -- Deleted records, the latest last.
    CREATE INDEX deletedRecord ON record (version) WHERE body IS NULL;
    """
}
