internal import Records

/// Names a store of the service: a container's public database, or a user's private one.
public struct StoreID: Sendable, Hashable {
  public enum Database: Sendable, Hashable {
    case `public`
    /// Of the user with this Unix number.
    case `private`(UInt32)
  }

  /// The container of requests that name none.
  public static let defaultContainer = "default"

  public var container: String
  public var database: Database

  public init(container: String = StoreID.defaultContainer, database: Database) {
    self.container = container
    self.database = database
  }

  /// Containers are told apart by the bytes of their names.
  public static func == (left: StoreID, right: StoreID) -> Bool {
    left.database == right.database && left.container.hasSameUTF8(as: right.container)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(container)
    hasher.combine(database)
  }

  /// Throws `invalidArguments` unless the name is 1 to 255 bytes of UTF-8 without control characters.
  static func check(_ container: String) throws(RecordError) {
    guard (1...255).contains(container.utf8.count),
      !container.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw RecordError(
        .invalidArguments, "a container's name has 1 to 255 bytes and no control characters")
    }
  }
}
