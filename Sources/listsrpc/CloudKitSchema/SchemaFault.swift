/// Why a text is no schema, and where.
struct SchemaFault: Error, Equatable {
  /// From 1.
  let line: Int
  /// From 1, in code points.
  let column: Int
  let message: String
}
