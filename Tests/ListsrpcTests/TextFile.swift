import Glibc
import ServiceFixture

/// A file with a text, removed with the value.
final class TextFile {
  let path: String
  private let folder: TemporaryFolder

  init(_ text: String, named name: String = "file") throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw FixtureError("write failed: \(errno)") }
      rest = rest.dropFirst(count)
    }
  }
}
