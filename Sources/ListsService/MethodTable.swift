/// All methods.
enum MethodTable {
  /// In the order of the documentation.
  static let methods: [Method] = [
    .serverInfo, .discover, .echo, .saveRecord, .fetchRecord, .fetchRecords, .modifyRecords, .performQuery,
    .countRecords, .distinctValues, .aggregateRecords, .fetchSchema, .saveRecordType, .deleteRecordType,
    .saveZone, .fetchZones, .deleteZone, .fetchContainers, .deleteContainer, .checkDatabase, .repairDatabase,
    .saveAsset, .fetchAsset, .fetchChanges, .subscribe, .unsubscribe, .saveSubscription,
    .fetchSubscriptions, .acknowledgeChanges, .deleteSubscription, .deleteRecord, .fetchDeletedRecords,
    .restoreRecord, .fetchHistory, .backUpDatabase, .restoreDatabase,
  ]

  static let names = methods.map(\.name)

  private static let methodsByName = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })

  static func method(named name: String) -> Method? { methodsByName[name] }
}
