import Glibc

/// A fresh folder, removed with everything in it when the last reference goes.
final class TestFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/record-store-tests-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit { Self.remove(path) }

  static func remove(_ path: String) {
    for name in names(in: path) {
      if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    }
    rmdir(path)
  }

  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}

enum File {
  static func read(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      guard count > 0 else { return content }
      content += chunk[..<count]
    }
  }

  static func write(_ content: [UInt8], to path: String) {
    let descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    close(descriptor)
  }
}
