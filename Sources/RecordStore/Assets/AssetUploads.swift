internal import Glibc
internal import Records
internal import Synchronization

/// Files that come in parts. Each belongs to a user, and is forgotten when nothing came for too long.
final class AssetUploads: Sendable {
  final class Upload: Sendable {
    let id: String
    let userID: UInt32
    let size: Int64
    let checksum: String?
    let draft: AssetDraft
    /// When something came last: milliseconds.
    fileprivate let time: Mutex<Int64>
    /// One part at a time.
    fileprivate let turn = Mutex(false)

    fileprivate init(
      id: String, userID: UInt32, size: Int64, checksum: String?, draft: AssetDraft, time: Int64
    ) {
      self.id = id
      self.userID = userID
      self.size = size
      self.checksum = checksum
      self.draft = draft
      self.time = Mutex(time)
    }
  }

  private let folder: AssetFolder
  private let limit: Int
  private let age: Int64
  private let clock: @Sendable () -> Int64
  private let uploads = Mutex<[String: Upload]>([:])

  init(in folder: AssetFolder, atMost limit: Int, age: Int64, clock: @escaping @Sendable () -> Int64) {
    self.folder = folder
    self.limit = limit
    self.age = age
    self.clock = clock
  }

  func begin(_ part: AssetPart) throws(RecordError) -> Upload {
    guard let size = part.size else {
      throw .upload("size", "the first part of a file must say the file's size")
    }
    forgetOld()
    try checkCount(of: part.userID)
    let upload = Upload(
      id: RecordName.unique(timestamp: clock(), random: { .random(in: .min ... .max) }), userID: part.userID,
      size: size, checksum: part.checksum, draft: try folder.makeDraft(), time: clock())
    uploads.withLock { $0[upload.id] = upload }
    return upload
  }

  private func checkCount(of userID: UInt32) throws(RecordError) {
    let count = uploads.withLock { $0.values.count { $0.userID == userID } }
    guard count < limit else {
      throw .limit("maximumUploads", limit, actual: count + 1, "too many files are uploaded at once")
    }
  }

  /// Another user's is not there.
  func find(_ id: String, of userID: UInt32) throws(RecordError) -> Upload {
    forgetOld()
    guard let upload = uploads.withLock({ $0[id] }), upload.userID == userID else {
      throw RecordError(
        .unknownItem, "there is no such upload any more; begin it anew",
        details: [RecordError.Detail(name: "parameter", text: "uploadID")])
    }
    return upload
  }

  func forget(_ upload: Upload) { uploads.withLock { $0[upload.id] = nil } }

  private func forgetOld() {
    let oldest = clock() - age
    // Their files go when nobody works on them any more.
    let forgotten = uploads.withLock { uploads in
      let old = uploads.values.filter { $0.time.withLock { $0 } < oldest }
      for upload in old { uploads[upload.id] = nil }
      return old
    }
    _ = forgotten
  }

  func append(_ part: AssetPart, to upload: Upload) throws(RecordError) -> Assets.Received {
    try check(part, against: upload)
    return try upload.turn.withLock { (isOver) throws(RecordError) in
      guard !isOver else { throw .upload("uploadID", "the file was whole already") }
      upload.time.withLock { $0 = clock() }
      let size = upload.draft.size
      if let data = part.data {
        guard part.offset ?? size == size else {
          throw .upload("offset", "the upload goes on at \(size)", offset: size)
        }
        guard Int64(data.count) <= upload.size - size else {
          throw .upload(
            "data", "the file would be longer than the \(upload.size) bytes that were said", offset: size)
        }
        try data.withUnsafeBytes { bytes in
          Result { () throws(RecordError) in try upload.draft.append(bytes) }
        }.get()
      }
      guard upload.draft.size == upload.size else {
        return .unfinished(uploadID: upload.id, offset: upload.draft.size)
      }
      isOver = true
      forget(upload)
      return .whole(try upload.draft.finish(upload.checksum))
    }
  }

  private func check(_ part: AssetPart, against upload: Upload) throws(RecordError) {
    if let size = part.size, size != upload.size {
      throw .upload("size", "the upload was begun with another size")
    }
    if let checksum = part.checksum, checksum != upload.checksum {
      throw .upload("checksum", "the upload was begun with another checksum")
    }
  }
}

extension RecordError {
  fileprivate static func upload(_ parameter: String, _ message: String, offset: Int64? = nil) -> RecordError
  {
    var details = [Detail(name: "parameter", text: parameter)]
    if let offset { details.append(Detail(name: "offset", json: Array("\(offset)".utf8))) }
    return RecordError(.invalidArguments, message, details: details)
  }
}
