import Glibc

/// Runs the files named on the command line through the parser: `y_` must be accepted, `n_` refused, and
/// the invariants hold for each, whole and cut short. Compiled by sanitize.sh together with the sources of
/// JSONRPC; without Foundation, whose own leaks would hide ours.
@main
enum SuiteCheck {
  static func main() {
    var failures = 0
    for path in CommandLine.arguments.dropFirst() {
      guard let bytes = contents(of: path) else {
        print("can't read \(path)")
        failures += 1
        continue
      }
      let name = path.split(separator: "/").last ?? ""
      let isAccepted = (try? JSON(parsing: bytes)) != nil
      if name.hasPrefix("y_") && !isAccepted || name.hasPrefix("n_") && isAccepted {
        print("wrong verdict on \(name)")
        failures += 1
      }
      Invariants.check(bytes)
      for length in 0..<min(bytes.count, 256) { Invariants.check(Array(bytes[..<length])) }
    }
    print("\(CommandLine.arguments.count - 1) files, \(failures) failures")
    exit(failures == 0 && CommandLine.arguments.count > 1 ? 0 : 1)
  }

  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes.append(contentsOf: piece[..<count])
    }
  }
}
