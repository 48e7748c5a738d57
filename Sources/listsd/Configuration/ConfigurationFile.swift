import Glibc

/// The configuration file (lists.conf(5)): lines `name = value`, empty lines, and comments after `#`.
enum ConfigurationFile {
  /// What is wrong with a file, and in which line.
  struct Fault: Error, Equatable, CustomStringConvertible {
    let path: String
    /// From 1; nil when the file as a whole can't be read.
    let line: Int?
    let reason: String

    var description: String {
      line.map { "\(path), line \($0): \(reason)" } ?? "\(path): \(reason)"
    }
  }

  private static let maximumBytes = 1 << 20

  /// Settings as the file at `path` has them, the defaults for those that it doesn't name. A file that is
  /// not there is an empty one unless it `mustExist`.
  static func read(_ path: String, mustExist: Bool) throws(Fault) -> Settings {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT && !mustExist { return Settings() }
      throw Fault(path: path, line: nil, reason: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while content.count <= maximumBytes {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Fault(path: path, line: nil, reason: String(cString: strerror(errno))) }
      if count == 0 { return try parse(content, path: path) }
      content += chunk[..<count]
    }
    throw Fault(path: path, line: nil, reason: "is longer than \(maximumBytes) bytes")
  }

  /// Settings as the text has them. `path` is for the fault.
  static func parse(_ content: [UInt8], path: String) throws(Fault) -> Settings {
    var settings = Settings()
    var lines: [String: Int] = [:]
    let texts = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in texts.enumerated() {
      let number = index + 1
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Fault(path: path, line: number, reason: "is not UTF-8")
      }
      let line = trimmed(text.prefix { $0 != "#" })
      if line.isEmpty { continue }
      guard let equals = line.firstIndex(of: "=") else {
        throw Fault(path: path, line: number, reason: "'\(line)' is not of the form name = value")
      }
      let name = trimmed(line[..<equals])
      let value = trimmed(line[line.index(after: equals)...])
      if let earlier = lines.updateValue(number, forKey: name) {
        throw Fault(path: path, line: number, reason: "'\(name)' is set in line \(earlier) already")
      }
      guard let setting = Setting.all.first(where: { $0.name == name }) else {
        throw Fault(path: path, line: number, reason: "there is no setting '\(name)'\(nearest(to: name))")
      }
      guard setting.set(&settings, value) else {
        throw Fault(path: path, line: number, reason: "'\(name)' takes \(setting.form), not '\(value)'")
      }
    }
    return settings
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    return String(
      start.prefix(upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex))
  }

  private static func trimmed(_ text: String) -> String { trimmed(text[...]) }

  /// A setting that differs in case, dashes or underscores only is what was meant.
  private static func nearest(to name: String) -> String {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter } }
    guard let setting = Setting.all.first(where: { plain($0.name) == plain(name) }) else { return "" }
    return "; it is spelt '\(setting.name)'"
  }
}
