#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <wchar.h>

int clinux_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_unix_socket(int nonblocking) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

static int address_of(const char *path, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address->sun_path, path);
  return 0;
}

int clinux_unix_bind(int descriptor, const char *path) {
  struct sockaddr_un address;
  if (address_of(path, &address) < 0) return -1;
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

int clinux_unix_connect(int descriptor, const char *path) {
  struct sockaddr_un address;
  if (address_of(path, &address) < 0) return -1;
  return connect(descriptor, (struct sockaddr *)&address, sizeof address);
}

ssize_t clinux_receive(int descriptor, void *bytes, size_t count, int *passed) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
  // With CMSG_SPACE, which is rounded up, the kernel would find room for two.
  message.msg_controllen = CMSG_LEN(sizeof(int));
  ssize_t received = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
  *passed = -1;
  if (received < 0) return received;
  if (message.msg_flags & MSG_CTRUNC) *passed = -2;
  if (message.msg_controllen == 0) return received;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int))) {
    int first;
    memcpy(&first, CMSG_DATA(header), sizeof first);
    if (*passed == -1) *passed = first;
    else clinux_close_elsewhere(first);
  }
  return received;
}

ssize_t clinux_send_passing(int descriptor, const void *bytes, size_t count, int passed) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&control.header), &passed, sizeof(int));
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  return sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

static void *close_it(void *descriptor) {
  close((int)(intptr_t)descriptor);
  return NULL;
}

void clinux_close_elsewhere(int descriptor) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  int failed = pthread_create(&thread, &attributes, close_it, (void *)(intptr_t)descriptor);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  if (failed) close(descriptor);
}

int clinux_peer_credentials(int descriptor, int32_t *process, uint32_t *user, uint32_t *group) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -1;
  *process = peer.pid;
  *user = peer.uid;
  *group = peer.gid;
  return 0;
}

static int socket_option(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) < 0 ? -1 : value;
}

int clinux_is_unix_listener(int descriptor) {
  int domain = socket_option(descriptor, SO_DOMAIN);
  int type = socket_option(descriptor, SO_TYPE);
  int listens = socket_option(descriptor, SO_ACCEPTCONN);
  if (domain < 0 || type < 0 || listens < 0) return -1;
  return domain == AF_UNIX && type == SOCK_STREAM && listens;
}

static int set_flag(int descriptor, int get, int set, int flag, int on) {
  int flags = fcntl(descriptor, get);
  if (flags < 0) return -1;
  return fcntl(descriptor, set, on ? flags | flag : flags & ~flag);
}

int clinux_set_nonblocking(int descriptor, int nonblocking) {
  return set_flag(descriptor, F_GETFL, F_SETFL, O_NONBLOCK, nonblocking);
}

int clinux_set_close_on_exec(int descriptor, int close_on_exec) {
  return set_flag(descriptor, F_GETFD, F_SETFD, FD_CLOEXEC, close_on_exec);
}

int clinux_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

int clinux_lock_file(int descriptor, int wait) {
  int result;
  do {
    result = flock(descriptor, LOCK_EX | (wait ? 0 : LOCK_NB));
  } while (result < 0 && errno == EINTR);
  return result;
}

int clinux_pipe(int descriptors[2]) { return pipe2(descriptors, O_CLOEXEC); }

int clinux_random(void *bytes, size_t count) {
  char *next = bytes;
  while (count > 0) {
    ssize_t got = getrandom(next, count, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    next += got;
    count -= (size_t)got;
  }
  return 0;
}

int clinux_rename_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int clinux_exchange_names(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int clinux_allocate(int descriptor, int64_t length) { return fallocate(descriptor, 0, 0, length); }

int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int clinux_seal(int descriptor) {
  return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

int clinux_sync_folder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  int result = fsync(folder);
  int fault = errno;
  close(folder);
  errno = fault;
  return result;
}

const void *clinux_find(const void *bytes, size_t size, const void *sought, size_t count) {
  return memmem(bytes, size, sought, count);
}

int clinux_thread_identifier(void) { return gettid(); }

int clinux_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

int clinux_signal_on_parent_death(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

int clinux_terminal_columns(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) < 0 || size.ws_col == 0) return -1;
  return size.ws_col;
}

int clinux_character_columns(uint32_t character) { return wcwidth((wchar_t)character); }
