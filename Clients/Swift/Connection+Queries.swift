import JSONRPC

extension Connection {
  /// One page of the records that match.
  public func query(_ request: QueryRequest) async throws(ClientError) -> QueryPage {
    QueryPage(json: try await call("performQuery", .object(request.parameters)))
  }

  /// All records that match, page after page.
  public func pages(of request: QueryRequest) -> QueryPages {
    QueryPages(request: request, connection: self)
  }

  /// How many records match.
  public func count(_ request: QueryRequest) async throws(ClientError) -> Int {
    let reply = try await call("countRecords", .object(request.filterParameters))
    guard let count = reply["count"]?.int64Value else { throw .malformedReply("countRecords gave no count") }
    return Int(count)
  }

  /// The values that the matching records have under a key, in sort order; a page of them.
  public func distinctValues(of key: String, _ request: QueryRequest) async throws(ClientError)
    -> DistinctValues
  {
    let params = request.filterParameters + request.pageParameters + [("key", .string(key))]
    return DistinctValues(json: try await call("distinctValues", .object(params)))
  }

  /// Counts, sums, averages and extremes of the matching records.
  ///
  /// - Parameter keys: A group for each combination of values under these; none: one group.
  public func aggregate(
    _ aggregates: [Aggregate], groupedBy keys: [String] = [], _ request: QueryRequest
  ) async throws(ClientError) -> AggregateResult {
    var params = request.filterParameters
    if let limit = request.resultsLimit { params.append(("resultsLimit", .int(Int64(limit)))) }
    params.append(("aggregates", .array(aggregates.map(\.node))))
    if !keys.isEmpty { params.append(("groupBy", .array(keys.map { .string($0) }))) }
    return AggregateResult(json: try await call("aggregateRecords", .object(params)))
  }

  /// How the service finds the first page of the records that match.
  public func explain(_ request: QueryRequest) async throws(ClientError) -> QueryExplanation {
    var request = request
    request.explains = true
    guard let plan = try await query(request).plan else { throw .malformedReply("performQuery gave no plan") }
    return plan
  }

  /// The record types with their fields and indexes.
  ///
  /// - Parameter recordType: Only this one; an unknown one is rejected as `unknownItem`.
  public func schema(
    of recordType: String? = nil, container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> [RecordTypeSchema] {
    let names = [("recordType", recordType), ("container", container), ("database", database)]
    let params: [(String, JSONNode)] = names.compactMap { name, value in value.map { (name, .string($0)) } }
    let reply = try await call("fetchSchema", .object(params))
    return (reply["recordTypes"]?.elements).map { $0.map { RecordTypeSchema(json: $0) } } ?? []
  }

  /// Declares fields and indexes. The reply does not wait for the indexes to be built.
  @discardableResult
  public func saveRecordType(
    _ declaration: RecordTypeDeclaration, container: String? = nil, database: String? = nil
  ) async throws(ClientError) -> RecordTypeSchema {
    let names = [("container", container), ("database", database)]
    let place: [(String, JSONNode)] = names.compactMap { name, value in value.map { (name, .string($0)) } }
    let reply = try await call("saveRecordType", .object([("recordType", declaration.node)] + place))
    guard let type = reply["recordType"] else { throw .malformedReply("saveRecordType gave no record type") }
    return RecordTypeSchema(json: type)
  }
}
