// Loaded in front of the C library (LD_PRELOAD): writes down what a program does to the files under
// POWER_CUT_ROOT, and what it sends to sockets, in the order in which it happens, at the end of the file
// POWER_CUT_LOG.
//
// An entry is made behind a call that has succeeded; a sync has one before it and one behind it, since it is
// only what was written before that it keeps. What is written through a mapping is not seen: the only file that the
// service maps is the index of the write-ahead log, which is made anew after a power cut.
//
// entry: kind (1 byte), 7 of padding, a, b (8 each), lengths of two texts (4 each), the texts

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { created = 1, emptied = 2, isFolder = 4 };
enum { mostDescriptors = 1 << 16 };

static char root[PATH_MAX];
static size_t rootLength;
static int logDescriptor = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t syncs;
/// The inode that a descriptor leads to, for those of files under the root; else 0.
static uint64_t inodes[mostDescriptors];

struct Entry {
  char kind;
  char padding[7];
  uint64_t a, b;
  uint32_t length1, length2;
};

/// With the lock held. A log that can't be written is worth nothing, so the program ends.
static void note(char kind, uint64_t a, uint64_t b, const void *text1, size_t length1, const void *text2,
                 size_t length2) {
  struct Entry entry = {.kind = kind, .a = a, .b = b, .length1 = (uint32_t)length1, .length2 = (uint32_t)length2};
  struct iovec parts[] = {{&entry, sizeof entry}, {(void *)text1, length1}, {(void *)text2, length2}};
  int code = errno;
  if (syscall(SYS_writev, logDescriptor, parts, 3) != (long)(sizeof entry + length1 + length2)) abort();
  errno = code;
}

/// Kills the process at a moment at which all that it has done is noted: what is done without is not.
static void *awaitKill(void *set) {
  int number;
  sigwait(set, &number);
  pthread_mutex_lock(&lock);
  kill(getpid(), SIGKILL);
  return NULL;
}

/// SIGRTMAX then stands for SIGKILL.
static void takeKills(void) {
  static sigset_t set;
  sigset_t all, before;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMAX);
  sigfillset(&all);
  pthread_t thread;
  // The thread takes no signal that is for the program.
  if (pthread_sigmask(SIG_BLOCK, &all, &before) || pthread_create(&thread, NULL, awaitKill, &set)) abort();
  sigaddset(&before, SIGRTMAX);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void begin(void) {
  const char *log = getenv("POWER_CUT_LOG"), *folder = getenv("POWER_CUT_ROOT");
  if (!log || !folder || !realpath(folder, root)) return;
  rootLength = strlen(root);
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  // Out of the way of those who count on the lowest numbers.
  logDescriptor = (int)syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 900);
  syscall(SYS_close, descriptor);
  pthread_mutex_lock(&lock);
  note('P', (uint64_t)getpid(), 0, "", 0, "", 0);
  pthread_mutex_unlock(&lock);
  takeKills();
}

/// The path below the root, in `buffer`; NULL when it leads elsewhere.
static const char *below(int folder, const char *path, char *buffer) {
  if (logDescriptor < 0 || !path) return NULL;
  if (path[0] == '/') {
    snprintf(buffer, PATH_MAX, "%s", path);
  } else {
    char link[64];
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, buffer, PATH_MAX - 1);
    if (length < 0) return NULL;
    snprintf(buffer + length, PATH_MAX - (size_t)length, "/%s", path);
  }
  if (strncmp(buffer, root, rootLength) || (buffer[rootLength] && buffer[rootLength] != '/')) return NULL;
  return buffer[rootLength] ? buffer + rootLength + 1 : buffer + rootLength;
}

static int isThere(int folder, const char *path) {
  return !syscall(SYS_faccessat, folder, path, F_OK) || errno != ENOENT;
}

static uint64_t tracked(int descriptor) {
  return descriptor >= 0 && descriptor < mostDescriptors ? inodes[descriptor] : 0;
}

// Opening

static int opened(int folder, const char *path, int flags, mode_t mode) {
  char buffer[PATH_MAX];
  const char *name = below(folder, path, buffer);
  if (!name) {
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (descriptor >= 0 && descriptor < mostDescriptors) inodes[descriptor] = 0;
    return descriptor;
  }
  pthread_mutex_lock(&lock);
  int wasThere = isThere(folder, path);
  int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
  struct stat status;
  if (descriptor >= 0 && descriptor < mostDescriptors && !fstat(descriptor, &status)) {
    inodes[descriptor] = status.st_ino;
    uint64_t how = (wasThere ? 0 : created) | (flags & O_TRUNC ? emptied : 0) | (S_ISDIR(status.st_mode) ? isFolder : 0);
    note('O', status.st_ino, how, name, strlen(name), "", 0);
  }
  pthread_mutex_unlock(&lock);
  return descriptor;
}

#define MODE_OF(flags)                       \
  mode_t mode = 0;                           \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {   \
    va_list more;                            \
    va_start(more, flags);                   \
    mode = va_arg(more, mode_t);             \
    va_end(more);                            \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE_OF(flags) return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE_OF(flags) return opened(folder, path, flags, mode); }

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < mostDescriptors) inodes[descriptor] = 0;
  return (int)syscall(SYS_close, descriptor);
}

// Content

/// Behind a call that has written at the descriptor's own place.
static void noteWritten(int descriptor, uint64_t inode, const void *bytes, ssize_t count) {
  off_t end = lseek(descriptor, 0, SEEK_CUR);
  note('W', inode, (uint64_t)(end - count), bytes, (size_t)count, "", 0);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  uint64_t inode = tracked(descriptor);
  if (!inode) return syscall(SYS_write, descriptor, bytes, count);
  pthread_mutex_lock(&lock);
  ssize_t written = syscall(SYS_write, descriptor, bytes, count);
  if (written > 0) noteWritten(descriptor, inode, bytes, written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  uint64_t inode = tracked(descriptor);
  if (!inode) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  if (written > 0) note('W', inode, (uint64_t)offset, bytes, (size_t)written, "", 0);
  pthread_mutex_unlock(&lock);
  return written;
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  uint64_t inode = tracked(descriptor);
  if (!inode) return syscall(SYS_writev, descriptor, parts, count);
  ssize_t total = 0;
  for (int part = 0; part < count; part++) {
    ssize_t written = write(descriptor, parts[part].iov_base, parts[part].iov_len);
    if (written < 0) return total ? total : written;
    total += written;
    if ((size_t)written < parts[part].iov_len) break;
  }
  return total;
}

/// Notes what the kernel has copied into the file, read back from it.
static void noteCopied(int descriptor, uint64_t inode, off64_t from, ssize_t count) {
  char bytes[1 << 16];
  while (count > 0) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    int reading = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
    ssize_t got = syscall(SYS_pread64, reading, bytes, count < (ssize_t)sizeof bytes ? count : (ssize_t)sizeof bytes, from);
    syscall(SYS_close, reading);
    if (got <= 0) abort();
    note('W', inode, (uint64_t)from, bytes, (size_t)got, "", 0);
    from += got;
    count -= got;
  }
}

ssize_t copy_file_range(int from, off64_t *place, int to, off64_t *target, size_t count, unsigned flags) {
  uint64_t inode = tracked(to);
  if (!inode) return syscall(SYS_copy_file_range, from, place, to, target, count, flags);
  pthread_mutex_lock(&lock);
  off64_t at = target ? *target : lseek(to, 0, SEEK_CUR);
  ssize_t copied = syscall(SYS_copy_file_range, from, place, to, target, count, flags);
  if (copied > 0) noteCopied(to, inode, at, copied);
  pthread_mutex_unlock(&lock);
  return copied;
}

ssize_t sendfile64(int to, int from, off64_t *place, size_t count) {
  uint64_t inode = tracked(to);
  if (!inode) return syscall(SYS_sendfile, to, from, place, count);
  pthread_mutex_lock(&lock);
  off64_t at = lseek(to, 0, SEEK_CUR);
  ssize_t copied = syscall(SYS_sendfile, to, from, place, count);
  if (copied > 0) noteCopied(to, inode, at, copied);
  pthread_mutex_unlock(&lock);
  return copied;
}
ssize_t sendfile(int to, int from, off_t *place, size_t count) { return sendfile64(to, from, place, count); }

/// Behind a call that may have changed the size.
static int noteSize(int descriptor, uint64_t inode, long status) {
  struct stat now;
  if (!status && !fstat(descriptor, &now)) note('T', inode, (uint64_t)now.st_size, "", 0, "", 0);
  pthread_mutex_unlock(&lock);
  return (int)status;
}

int ftruncate64(int descriptor, off64_t size) {
  uint64_t inode = tracked(descriptor);
  if (!inode) return (int)syscall(SYS_ftruncate, descriptor, size);
  pthread_mutex_lock(&lock);
  return noteSize(descriptor, inode, syscall(SYS_ftruncate, descriptor, size));
}
int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
  uint64_t inode = tracked(descriptor);
  if (!inode) return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
  pthread_mutex_lock(&lock);
  return noteSize(descriptor, inode, syscall(SYS_fallocate, descriptor, mode, offset, length));
}
int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  return fallocate64(descriptor, mode, offset, length);
}

static int synced(int descriptor, long number) {
  uint64_t inode = tracked(descriptor);
  if (!inode) return (int)syscall(number, descriptor);
  pthread_mutex_lock(&lock);
  uint64_t sync = ++syncs;
  note('B', inode, sync, "", 0, "", 0);
  pthread_mutex_unlock(&lock);
  int status = (int)syscall(number, descriptor);
  pthread_mutex_lock(&lock);
  if (!status) note('S', inode, sync, "", 0, "", 0);
  pthread_mutex_unlock(&lock);
  return status;
}
int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

// Names

/// Makes a call that changes one or two names, and notes it.
static int named(char kind, int folder1, const char *path1, int folder2, const char *path2, uint64_t flags, long number) {
  char buffer1[PATH_MAX], buffer2[PATH_MAX];
  const char *name1 = below(folder1, path1, buffer1), *name2 = path2 ? below(folder2, path2, buffer2) : NULL;
  int isWatched = name1 || name2;
  if (isWatched) pthread_mutex_lock(&lock);
  long status;
  switch (number) {
  case SYS_renameat2: status = syscall(number, folder1, path1, folder2, path2, flags); break;
  case SYS_linkat: status = syscall(number, folder1, path1, folder2, path2, flags); break;
  default: status = syscall(number, folder1, path1, flags); break;
  }
  if (isWatched) {
    struct stat now;
    const char *there = path2 ? path2 : path1;
    uint64_t inode = !status && !fstatat(path2 ? folder2 : folder1, there, &now, AT_SYMLINK_NOFOLLOW) ? now.st_ino : 0;
    if (!status) note(kind, inode, flags, name1 ? name1 : "", name1 ? strlen(name1) : 0, name2 ? name2 : "", name2 ? strlen(name2) : 0);
    pthread_mutex_unlock(&lock);
  }
  return (int)status;
}

int renameat2(int folder1, const char *from, int folder2, const char *to, unsigned flags) {
  return named('R', folder1, from, folder2, to, flags, SYS_renameat2);
}
int renameat(int folder1, const char *from, int folder2, const char *to) {
  return named('R', folder1, from, folder2, to, 0, SYS_renameat2);
}
int rename(const char *from, const char *to) { return named('R', AT_FDCWD, from, AT_FDCWD, to, 0, SYS_renameat2); }
int linkat(int folder1, const char *from, int folder2, const char *to, int flags) {
  return named('L', folder1, from, folder2, to, (uint64_t)flags, SYS_linkat);
}
int link(const char *from, const char *to) { return named('L', AT_FDCWD, from, AT_FDCWD, to, 0, SYS_linkat); }
int unlinkat(int folder, const char *path, int flags) { return named('U', folder, path, 0, NULL, (uint64_t)flags, SYS_unlinkat); }
int unlink(const char *path) { return named('U', AT_FDCWD, path, 0, NULL, 0, SYS_unlinkat); }
int rmdir(const char *path) { return named('U', AT_FDCWD, path, 0, NULL, AT_REMOVEDIR, SYS_unlinkat); }
int mkdirat(int folder, const char *path, mode_t mode) { return named('M', folder, path, 0, NULL, mode, SYS_mkdirat); }
int mkdir(const char *path, mode_t mode) { return named('M', AT_FDCWD, path, 0, NULL, mode, SYS_mkdirat); }

// Replies

/// Notes the first `count` bytes of the parts, in order.
static void noteSent(int descriptor, const struct iovec *parts, size_t partCount, ssize_t count) {
  for (size_t part = 0; part < partCount && count > 0; part++) {
    size_t length = (size_t)count < parts[part].iov_len ? (size_t)count : parts[part].iov_len;
    note('A', (uint64_t)descriptor, 0, parts[part].iov_base, length, "", 0);
    count -= (ssize_t)length;
  }
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  if (logDescriptor < 0) return syscall(SYS_sendmsg, descriptor, message, flags);
  // Within the lock: nothing that is done because of the reply is noted before it.
  pthread_mutex_lock(&lock);
  ssize_t sent = syscall(SYS_sendmsg, descriptor, message, flags | MSG_DONTWAIT);
  if (sent > 0) noteSent(descriptor, message->msg_iov, message->msg_iovlen, sent);
  pthread_mutex_unlock(&lock);
  return sent;
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  return sendmsg(descriptor, &message, flags);
}
