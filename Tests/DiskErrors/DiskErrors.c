#define _GNU_SOURCE
#include "DiskErrors.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int isOn;
static char folder[PATH_MAX];
static long calls, firstFailing;
static int failure, failsOn;

void disk_errors_begin(const char *path, long first, int code, int persists) {
  pthread_mutex_lock(&lock);
  snprintf(folder, sizeof folder, "%s/", path);
  calls = 0;
  firstFailing = first;
  failure = code;
  failsOn = persists;
  isOn = 1;
  pthread_mutex_unlock(&lock);
}

long disk_errors_end(void) {
  pthread_mutex_lock(&lock);
  isOn = 0;
  long count = calls;
  pthread_mutex_unlock(&lock);
  return count;
}

/// Whether a call that concerns this path fails; `errno` is set then.
static int fails(const char *path) {
  int result = 0;
  pthread_mutex_lock(&lock);
  if (isOn && strncmp(path, folder, strlen(folder)) == 0) {
    calls++;
    result = firstFailing > 0 && (calls == firstFailing || (failsOn && calls > firstFailing));
  }
  pthread_mutex_unlock(&lock);
  if (result) errno = failure;
  return result;
}

/// The same of a descriptor's file. A folder's own path counts as in it.
static int failsFor(int descriptor) {
  if (!isOn) return 0;
  int before = errno;
  char link[64], path[PATH_MAX + 1];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  errno = before;
  if (length < 0) return 0;
  path[length] = '/';
  path[length + 1] = 0;
  return fails(path);
}

static int failsAt(const char *path) { return isOn && fails(path); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return failsFor(descriptor) ? -1 : syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return failsFor(descriptor) ? -1 : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int fsync(int descriptor) { return failsFor(descriptor) ? -1 : (int)syscall(SYS_fsync, descriptor); }

int fdatasync(int descriptor) { return failsFor(descriptor) ? -1 : (int)syscall(SYS_fdatasync, descriptor); }

int ftruncate64(int descriptor, off64_t size) {
  return failsFor(descriptor) ? -1 : (int)syscall(SYS_ftruncate, descriptor, size);
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
  return failsFor(descriptor) ? -1 : (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  return fallocate64(descriptor, mode, offset, length);
}

int rename(const char *from, const char *to) {
  return failsAt(to) ? -1 : (int)syscall(SYS_renameat2, -100, from, -100, to, 0);
}

int link(const char *from, const char *to) {
  return failsAt(to) ? -1 : (int)syscall(SYS_linkat, -100, from, -100, to, 0);
}

int mkdir(const char *path, mode_t mode) {
  return failsAt(path) ? -1 : (int)syscall(SYS_mkdirat, -100, path, mode);
}
