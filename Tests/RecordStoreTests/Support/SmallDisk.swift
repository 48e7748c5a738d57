import Glibc

/// A file system of a few megabytes of its own. Only root can make one.
final class SmallDisk {
  static let isAvailable: Bool = {
    guard geteuid() == 0, let disk = SmallDisk(megabytes: 1) else { return false }
    return disk.path != ""
  }()

  let path: String

  init?(megabytes: Int) {
    var template = Array("/tmp/record-store-disk-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
      rmdir(path)
      return nil
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }

  func setReadOnly(_ isReadOnly: Bool) -> Bool {
    let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
    return mount("tmpfs", path, "tmpfs", flags, nil) == 0
  }

  /// Bytes that can still be written.
  var free: Int {
    var status = statvfs()
    statvfs(path, &status)
    return Int(status.f_bavail) * Int(status.f_bsize)
  }

  /// Fills what is left with a file.
  func fill() {
    let descriptor = open("\(path)/filler", O_CREAT | O_WRONLY, 0o600)
    let chunk = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, chunk, chunk.count) > 0 {}
    close(descriptor)
  }

  func removeFiller() { unlink("\(path)/filler") }
}
