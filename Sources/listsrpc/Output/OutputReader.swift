import Glibc

/// Whoever reads this program's standard output.
enum OutputReader {
  /// Ends the program, with 0, as soon as the reader of a pipe has gone: a program that waits for changes
  /// would else only find out at the next one.
  static func endProgramWhenGone() {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFIFO || kind == S_IFSOCK else { return }
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { _ in
        while true {
          var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
          if poll(&output, 1, -1) > 0 { _exit(ExitStatus.success.rawValue) }
        }
      }, nil)
    if result == 0 { pthread_detach(thread) }
  }

  /// Has what was printed on the disk, where the output is a file: before it is noted that it was printed.
  static func syncFile() throws(Failure) {
    // Of a pipe or a terminal nothing is to be had (EINVAL).
    guard fdatasync(STDOUT_FILENO) != 0, errno != EINVAL, errno != EROFS, errno != EBADF else { return }
    throw .trouble("can't write the output: \(String(cString: strerror(errno)))")
  }
}
