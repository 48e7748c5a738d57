import JSONRPC

extension Connection {
  /// Makes a zone; one that is there stays as it is.
  public func saveZone(
    _ zoneName: String, container: String? = nil, database: String? = nil
  ) async throws(ClientError) {
    _ = try await call("saveZone", Self.params([("zoneName", zoneName)], container, database))
  }

  /// The names of the zones.
  public func zones(container: String? = nil, database: String? = nil) async throws(ClientError) -> [String] {
    let reply = try await call("fetchZones", Self.params([], container, database))
    return (reply["zones"]?.elements).map { $0.compactMap { $0["zoneName"]?.stringValue } } ?? []
  }

  /// Deletes a zone with all its records.
  ///
  /// - Parameter ignoresMissing: A zone that isn't there is no error.
  /// - Returns: How many records it had.
  @discardableResult
  public func deleteZone(
    _ zoneName: String, ignoresMissing: Bool = false, container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> Int {
    let params = Self.params([("zoneName", zoneName)], container, database, ignoresMissing: ignoresMissing)
    return Int(try await call("deleteZone", params)["deletedRecords"]?.int64Value ?? 0)
  }

  /// Parameters of texts with the place behind them.
  static func params(
    _ members: [(String, String)], _ container: String?, _ database: String?, ignoresMissing: Bool = false
  ) -> JSONNode {
    var params: [(String, JSONNode)] = members.map { ($0.0, .string($0.1)) }
    if ignoresMissing { params.append(("ignoreMissing", true)) }
    for (name, value) in [("container", container), ("database", database)] {
      if let value { params.append((name, .string(value))) }
    }
    return .object(params)
  }
}
