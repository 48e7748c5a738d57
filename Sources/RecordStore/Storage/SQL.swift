/// Every statement that runs more than once. The methods that use one say what its parameters are.
enum SQL: Int, CaseIterable {
  case dataVersion, store, updateStore
  case insertEpoch, epochOfCommit
  case zones, types, fields, indexes
  case insertZone, updateZone, removeZone, zonesDeleted, recordsOfZone
  case subscriptionsOfUser, subscriptionOfUser, putSubscription, moveSubscription, removeSubscription
  case answerByKey, putAnswer, oldestAnswers, removeAnswer, countAnswers
  case insertType, growType, recordsOfType, insertField, insertIndex, growIndex
  case updateType, updateField, updateIndex, indexesOfType, noteUse, largestRecord
  case dropIndex, droppedIndexes, reachIndex, entriesFrom, removeEntries, removeIndex
  case recordByName, recordByID, recordsByName, versionByID, bodyByID
  case insertRecord, updateRecord, removeTombstone, removeRecord, bodiesAfter
  case deletedRecords, changeOfRecord
  case insertChange, consequences, changeByVersion, previousVersion, originByVersion, changesBetween
  case changeAtPlace
  case oldestChanges, removeChanges
  case insertEntry, removeEntry, entriesUp, entriesDown, tiesAfter, countEntries, countEntriesOfZone
  case firstEntry, lastEntry
  case placesOfEntries, placesByName, placeByID
  case recordsAfter, rowsAfter
  case zoneByName
  case insertMoment, lastMoment, moments, momentsUpTo, raiseMoment, removeMoments
  case referrers, actingReferrers, anyActingReferrer, insertReference, endReference, removeReference,
    removeReferences
  case assets, assetsAfter, sizeOfAsset, putAsset, removeAsset
  case insertAssetUse, endAssetUse, removeAssetUse, removeAssetUses
  case removeType, updateRules, removeField, removeFields, updateKeys
  case idsOfType, recordsOfKey, keysOfIndex
  case insertFieldChange, fieldChanges, removeFieldChanges

  var text: String {
    switch self {
    case .dataVersion: "PRAGMA data_version"
    case .store:
      "SELECT identity, lastCommit, horizon, records, recordBytes, changes, changeBytes, schema FROM store"
    case .updateStore:
      """
      UPDATE store SET lastCommit = ?1, horizon = ?2, records = ?3, recordBytes = ?4, changes = ?5,
      changeBytes = ?6, schema = ?7
      """

    // A run may have begun and made no commit.
    case .insertEpoch: "INSERT OR REPLACE INTO epoch (firstCommit, nonce) VALUES (?1, ?2)"
    case .epochOfCommit:
      "SELECT nonce FROM epoch WHERE firstCommit <= ?1 ORDER BY firstCommit DESC LIMIT 1"

    case .zones: "SELECT id, name, deleted FROM zone"
    case .insertZone: "INSERT INTO zone (name) VALUES (?1)"
    case .updateZone: "UPDATE zone SET deleted = ?2 WHERE id = ?1"
    case .removeZone: "DELETE FROM zone WHERE id = ?1"
    case .zonesDeleted: "SELECT name FROM zone WHERE deleted > ?1 AND deleted <= ?2 ORDER BY deleted"
    case .recordsOfZone:
      // What is of the zone is found in the index of names.
      """
      SELECT id, name FROM record WHERE id IN (SELECT id FROM record WHERE zone = ?1) AND body IS NOT NULL
      ORDER BY id
      """
    case .types: "SELECT id, name, automaticIndexes FROM type"
    case .recordsOfType: "SELECT records FROM type WHERE id = ?1"
    case .fields: "SELECT type, name, valueType, indexes, rules FROM field"
    case .indexes:
      """
      SELECT id, type, keys, kind, origin, isListed, reached, collator FROM declaredIndex WHERE isDropped = 0
      ORDER BY id
      """
    case .insertType: "INSERT INTO type (name, records) VALUES (?1, 0)"
    case .growType: "UPDATE type SET records = records + ?2 WHERE id = ?1"
    case .removeType: "DELETE FROM type WHERE id = ?1"
    case .insertField: "INSERT INTO field (type, name, valueType) VALUES (?1, ?2, ?3)"
    case .updateRules: "UPDATE field SET rules = ?3 WHERE type = ?1 AND name = ?2"
    case .removeField: "DELETE FROM field WHERE type = ?1 AND name = ?2"
    case .removeFields: "DELETE FROM field WHERE type = ?1"
    case .insertIndex:
      """
      INSERT INTO declaredIndex (type, keys, kind, origin, isListed, reached, made, collator)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """
    case .growIndex:
      "UPDATE declaredIndex SET entries = entries + ?2, bytes = bytes + ?3 WHERE id = ?1"

    case .updateType: "UPDATE type SET automaticIndexes = ?2 WHERE id = ?1"
    case .updateField: "UPDATE field SET indexes = ?3 WHERE type = ?1 AND name = ?2"
    case .updateIndex: "UPDATE declaredIndex SET origin = ?2, isListed = ?3 WHERE id = ?1"
    case .indexesOfType:
      """
      SELECT id, reached, entries, bytes, uses, lastUsed, made FROM declaredIndex
      WHERE type = ?1 AND isDropped = 0
      """
    case .noteUse:
      """
      UPDATE declaredIndex SET uses = uses + ?2, lastUsed = max(coalesce(lastUsed, ?3), ?3) WHERE id = ?1
      """
    case .updateKeys: "UPDATE declaredIndex SET keys = ?2 WHERE id = ?1"
    case .largestRecord: "SELECT max(id) FROM record"
    case .dropIndex: "UPDATE declaredIndex SET isDropped = 1 WHERE id = ?1"
    case .droppedIndexes: "SELECT id FROM declaredIndex WHERE isDropped = 1 ORDER BY id"
    case .reachIndex: "UPDATE declaredIndex SET reached = ?2, collator = ?3 WHERE id = ?1"
    case .entriesFrom:
      "SELECT key, tie FROM entry WHERE declaredIndex = ?1 ORDER BY key, tie LIMIT 1 OFFSET ?2"
    case .removeEntries: "DELETE FROM entry WHERE declaredIndex = ?1 AND (key, tie) <= (?2, ?3)"
    case .removeIndex: "DELETE FROM declaredIndex WHERE id = ?1"

    case .subscriptionsOfUser:
      "SELECT id, definition, position, isStarted FROM subscription WHERE user = ?1 ORDER BY id"
    case .subscriptionOfUser:
      "SELECT id, definition, position, isStarted FROM subscription WHERE user = ?1 AND id = ?2"
    case .putSubscription:
      """
      INSERT OR REPLACE INTO subscription (user, id, definition, position, isStarted)
      VALUES (?1, ?2, ?3, ?4, 0)
      """
    case .moveSubscription:
      "UPDATE subscription SET position = ?3, isStarted = 1 WHERE user = ?1 AND id = ?2"
    case .removeSubscription: "DELETE FROM subscription WHERE user = ?1 AND id = ?2"

    case .answerByKey: "SELECT digest, timestamp, result, bytes FROM idempotency WHERE user = ?1 AND key = ?2"
    case .putAnswer:
      """
      INSERT OR REPLACE INTO idempotency (user, key, digest, timestamp, result, bytes)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """
    case .oldestAnswers: "SELECT user, key, timestamp, bytes FROM idempotency ORDER BY timestamp"
    case .removeAnswer: "DELETE FROM idempotency WHERE user = ?1 AND key = ?2"
    case .countAnswers: "SELECT count(*), coalesce(sum(bytes), 0) FROM idempotency"

    case .recordByName: "SELECT id, type, version, body FROM record WHERE name = ?1 AND zone = ?2"
    case .recordByID: "SELECT type, version, body FROM record WHERE id = ?1"
    case .recordsByName: "SELECT body, id FROM record WHERE name = ?1 AND body IS NOT NULL"
    case .versionByID: "SELECT version, body FROM record WHERE id = ?1"
    case .bodyByID: "SELECT body FROM record WHERE id = ?1"
    case .insertRecord: "INSERT INTO record (name, zone, type, version, body) VALUES (?1, ?2, ?3, ?4, ?5)"
    case .updateRecord: "UPDATE record SET type = ?2, version = ?3, body = ?4 WHERE id = ?1"
    case .removeTombstone: "DELETE FROM record WHERE id = ?1 AND version = ?2 AND body IS NULL"
    case .removeRecord: "DELETE FROM record WHERE id = ?1"
    case .bodiesAfter:
      // The bodies of other types are not even read.
      "SELECT id, CASE WHEN type = ?1 THEN body END FROM record WHERE id > ?2 ORDER BY id"

    case .insertChange:
      """
      INSERT INTO change (version, record, user, previous, body, cause, deleted)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """
    case .deletedRecords:
      """
      SELECT id, version, zone FROM record INDEXED BY deletedRecord
      WHERE body IS NULL AND version < ?1 ORDER BY version DESC
      """
    case .changeOfRecord:
      // Files of before version 4 don't say when a record was deleted: the log does, to a minute.
      """
      SELECT previous, body, cause, user, coalesce(deleted,
      (SELECT timestamp FROM moment WHERE firstCommit <= ?3 ORDER BY firstCommit DESC LIMIT 1))
      FROM change WHERE version = ?1 AND record = ?2
      """
    case .consequences:
      """
      SELECT version, record, cause, deleted FROM change
      WHERE version >= ?1 AND version <= ?2 AND cause IS NOT NULL ORDER BY version
      """
    case .changeByVersion: "SELECT previous, body, cause FROM change WHERE version = ?1"
    case .previousVersion: "SELECT previous, body IS NULL, cause FROM change WHERE version = ?1"
    case .originByVersion: "SELECT user, cause FROM change WHERE version = ?1"
    case .changesBetween:
      """
      SELECT version, record, user, previous, body, cause FROM change WHERE version > ?1 AND version <= ?2
      ORDER BY version
      """
    case .changeAtPlace: "SELECT 1 FROM change WHERE version > ?1 ORDER BY version LIMIT 1 OFFSET ?2"
    case .oldestChanges: "SELECT version, record, length(body) FROM change ORDER BY version"
    case .removeChanges: "DELETE FROM change WHERE version <= ?1"

    case .idsOfType: "SELECT id FROM record WHERE type = ?1 AND body IS NOT NULL ORDER BY id"

    case .recordsOfKey: "SELECT record FROM entry WHERE declaredIndex = ?1 AND key = ?2"
    case .keysOfIndex: "SELECT key, record FROM entry WHERE declaredIndex = ?1 ORDER BY key, tie"
    case .insertEntry: "INSERT INTO entry (declaredIndex, key, tie, record) VALUES (?1, ?2, ?3, ?4)"
    case .removeEntry: "DELETE FROM entry WHERE declaredIndex = ?1 AND key = ?2 AND tie = ?3"
    case .entriesUp:
      """
      SELECT r.body, r.id, e.key, e.tie FROM entry AS e CROSS JOIN record AS r ON r.id = e.record
      WHERE e.declaredIndex = ?1 AND (e.key, e.tie) > (?2, ?3) AND e.key < ?4 ORDER BY e.key, e.tie
      """
    case .entriesDown:
      """
      SELECT r.body, r.id, e.key, e.tie FROM entry AS e CROSS JOIN record AS r ON r.id = e.record
      WHERE e.declaredIndex = ?1 AND e.key >= ?2 AND e.key < ?3 ORDER BY e.key DESC, e.tie DESC
      """
    case .tiesAfter:
      """
      SELECT r.body, r.id, e.key, e.tie FROM entry AS e CROSS JOIN record AS r ON r.id = e.record
      WHERE e.declaredIndex = ?1 AND e.key = ?2 AND e.tie > ?3 ORDER BY e.tie
      """
    case .countEntries:
      """
      SELECT count(*) FROM
      (SELECT 1 FROM entry WHERE declaredIndex = ?1 AND key >= ?2 AND key < ?3 LIMIT ?4)
      """
    case .countEntriesOfZone:
      """
      SELECT count(*) FROM
      (SELECT 1 FROM entry WHERE declaredIndex = ?1 AND key >= ?2 AND key < ?3
      AND substr(tie, -length(?5)) = ?5 LIMIT ?4)
      """
    case .firstEntry:
      """
      SELECT key, record FROM entry WHERE declaredIndex = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT 1
      """
    case .lastEntry:
      """
      SELECT key, record FROM entry WHERE declaredIndex = ?1 AND key >= ?2 AND key < ?3 ORDER BY key DESC
      LIMIT 1
      """
    case .placesOfEntries:
      "SELECT tie, record FROM entry WHERE declaredIndex = ?1 AND key >= ?2 AND key < ?3"
    case .placesByName:
      """
      SELECT z.name, r.id FROM record AS r CROSS JOIN zone AS z ON z.id = r.zone
      WHERE r.name = ?1 AND r.body IS NOT NULL
      """
    case .placeByID:
      "SELECT r.name, z.name FROM record AS r CROSS JOIN zone AS z ON z.id = r.zone WHERE r.id = ?1"

    case .recordsAfter:
      """
      SELECT r.body, r.id FROM record AS r CROSS JOIN zone AS z ON z.id = r.zone
      WHERE r.body IS NOT NULL AND r.name >= ?1 AND (r.name > ?1 OR z.name > ?2) ORDER BY r.name, z.name
      """
    case .rowsAfter:
      // A row that changed since may have been of another type. The bodies of others are not even read.
      """
      SELECT id, version, (?2 IS NULL OR zone = ?2) AND (?3 IS NULL OR type = ?3 OR version > ?4),
      CASE WHEN (?2 IS NULL OR zone = ?2) AND (?3 IS NULL OR type = ?3) AND version <= ?4 THEN body END
      FROM record WHERE id > ?1 ORDER BY id
      """

    case .insertMoment: "INSERT OR REPLACE INTO moment (firstCommit, timestamp) VALUES (?1, ?2)"
    case .lastMoment: "SELECT timestamp FROM moment ORDER BY firstCommit DESC LIMIT 1"
    case .moments: "SELECT firstCommit, timestamp FROM moment ORDER BY firstCommit"
    case .momentsUpTo:
      "SELECT firstCommit FROM moment WHERE firstCommit <= ?1 ORDER BY firstCommit DESC LIMIT 2"
    case .raiseMoment:
      """
      UPDATE moment SET timestamp = (SELECT max(timestamp) FROM moment WHERE firstCommit <= ?1)
      WHERE firstCommit = ?1
      """
    case .removeMoments: "DELETE FROM moment WHERE firstCommit < ?1"

    case .zoneByName: "SELECT id FROM zone WHERE name = ?1"
    case .referrers:
      "SELECT record FROM reference WHERE target = ?1 AND (until IS NULL OR until > ?2)"
    case .actingReferrers:
      "SELECT record FROM reference WHERE target = ?1 AND until IS NULL AND acts <> 0 ORDER BY record"
    case .anyActingReferrer: "SELECT EXISTS (SELECT 1 FROM reference WHERE until IS NULL AND acts <> 0)"
    case .insertReference:
      """
      INSERT INTO reference (target, record, acts) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET until = NULL, acts = excluded.acts
      """
    case .endReference: "UPDATE reference SET until = ?3 WHERE target = ?1 AND record = ?2"
    case .removeReference: "DELETE FROM reference WHERE target = ?1 AND record = ?2"
    case .removeReferences: "DELETE FROM reference WHERE until <= ?1"

    case .assets: "SELECT checksum, size FROM asset ORDER BY checksum"
    case .assetsAfter:
      """
      SELECT checksum, added < ?2 AND NOT EXISTS (SELECT 1 FROM assetUse WHERE checksum = asset.checksum)
      FROM asset WHERE checksum > ?1 ORDER BY checksum LIMIT 256
      """
    case .sizeOfAsset: "SELECT size FROM asset WHERE checksum = ?1"
    case .putAsset:
      """
      INSERT INTO asset (checksum, size, added) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET size = excluded.size, added = max(added, excluded.added)
      """
    case .removeAsset: "DELETE FROM asset WHERE checksum = ?1"
    case .insertAssetUse:
      "INSERT INTO assetUse (checksum, record) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET until = NULL"
    case .endAssetUse: "UPDATE assetUse SET until = ?3 WHERE checksum = ?1 AND record = ?2"
    case .removeAssetUse: "DELETE FROM assetUse WHERE checksum = ?1 AND record = ?2"
    case .removeAssetUses: "DELETE FROM assetUse WHERE until <= ?1"

    case .insertFieldChange: "INSERT INTO fieldChange (version, type, fates) VALUES (?1, ?2, ?3)"
    case .fieldChanges: "SELECT fates FROM fieldChange WHERE type = ?1 AND version > ?2 ORDER BY id"
    case .removeFieldChanges: "DELETE FROM fieldChange WHERE version <= ?1"
    }
  }
}
