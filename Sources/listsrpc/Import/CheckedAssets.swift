import Files
import Glibc
import JSONRPC
import ListsClient
import Records

/// Which assets a record may have: those whose files the database has, or an import would save.
@MainActor
final class CheckedAssets {
  private let folder: AssetFolder?
  /// The sizes of those that were looked for; nil: there is none.
  private var sizes: [String: Int64?] = [:]
  /// Why a file of the folder could not be saved, by checksum.
  private var faults: [String: String] = [:]

  init(_ folder: AssetFolder?) { self.folder = folder }

  /// Looks for those of the records that were not looked for yet.
  func look(up records: [JSON], _ session: Session) async throws(Failure) {
    for record in records {
      for asset in AssetFolder.assets(of: record)
      where sizes[asset.checksum] == nil && faults[asset.checksum] == nil {
        try await look(up: asset.checksum, session)
      }
    }
  }

  private func look(up checksum: String, _ session: Session) async throws(Failure) {
    do throws(Failure) {
      let reply = try await session.call("fetchAsset", [("checksum", .string(checksum)), ("length", 0)])
      sizes[checksum] = .some(reply["size"]?.int64Value)
    } catch {
      guard error.rejection?.errorCode == "assetFileNotFound" else { throw error }
      guard let (size, actual) = try folder?.content(of: checksum) else {
        return sizes[checksum] = .some(nil)
      }
      guard actual == checksum else {
        let name = folder?.name(of: checksum) ?? ""
        return faults[checksum] = "the file \(name): the content's checksum is another one than was said"
      }
      sizes[checksum] = .some(size)
    }
  }

  /// Why the record can't be saved, for a file that could not be saved.
  func fault(of record: JSON) -> String? {
    guard !faults.isEmpty else { return nil }
    return AssetFolder.assets(of: record).lazy.compactMap { self.faults[$0.checksum] }.first
  }

  /// The refusal of a record that has what is not there. What it has already it may keep.
  func missing(in body: RecordBody, over stored: StoredRecord?) -> RecordError? {
    for field in body.fields where field.value.type?.element == .asset {
      let present = stored?.value(forKey: field.name)?.assets ?? []
      for asset in field.value.assets
      where !present.contains(asset) && sizes[asset.checksum] != .some(asset.size) {
        return RecordError(
          .assetFileNotFound,
          "field '\(field.name)': there is no asset '\(asset.checksum.prefix(64))' of \(asset.size) bytes; save it first"
        )
      }
    }
    return nil
  }
}

extension FieldValue {
  fileprivate var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(let elements): elements.flatMap(\.assets)
    default: []
    }
  }
}
