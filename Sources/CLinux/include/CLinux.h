// What Glibc's Swift module lacks: epoll, eventfd, signalfd and timerfd by their own headers, and
// wrappers of what is variadic or hidden behind _GNU_SOURCE. Declarations only: the definitions need
// _GNU_SOURCE, which clashes with the module when it stands in a header.
//
// Every wrapper does what its namesake's manual page says: -1 and errno on failure.
#ifndef LISTS_CLINUX_H
#define LISTS_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>

/// accept4(2) without the peer's address; the new descriptor is non-blocking and close-on-exec.
int clinux_accept(int listener);

/// socket(2) for a Unix stream socket that is close-on-exec, and non-blocking if asked.
int clinux_unix_socket(int nonblocking);

/// bind(2) to the path, which must not be longer than sun_path holds (107 bytes; else ENAMETOOLONG).
int clinux_unix_bind(int descriptor, const char *path);

/// connect(2) to the path (107 bytes at most, else ENAMETOOLONG).
int clinux_unix_connect(int descriptor, const char *path);

/// SO_PEERCRED: who was at the other end when it connected (or, for the client of an activated
/// socket, who called listen(2)).
int clinux_peer_credentials(int descriptor, int32_t *process, uint32_t *user, uint32_t *group);

/// recvmsg(2) of up to `count` bytes and at most one descriptor, which is close-on-exec. `*passed` is -1 when
/// none came, -2 when there were more than one, which are closed, or the process may have no more.
ssize_t clinux_receive(int descriptor, void *bytes, size_t count, int *passed);

/// sendmsg(2) of bytes, `passed` going with the first of them; no SIGPIPE.
ssize_t clinux_send_passing(int descriptor, const void *bytes, size_t count, int passed);

/// close(2) on a thread of its own: it waits for the peer of some sockets and for some file systems.
void clinux_close_elsewhere(int descriptor);

/// 1 if the descriptor is a Unix stream socket that listens, 0 if not, -1 on failure.
int clinux_is_unix_listener(int descriptor);

/// fcntl(F_SETFL) with O_NONBLOCK added or taken away.
int clinux_set_nonblocking(int descriptor, int nonblocking);

/// fcntl(F_SETFD) with FD_CLOEXEC added or taken away.
int clinux_set_close_on_exec(int descriptor, int close_on_exec);

/// fcntl(F_DUPFD_CLOEXEC) from 3 on.
int clinux_duplicate(int descriptor);

/// flock(2), exclusive, released when the last descriptor of this open file is closed; with
/// `wait` 0 it fails with EWOULDBLOCK when another holds the lock.
int clinux_lock_file(int descriptor, int wait);

/// pipe2(2) with O_CLOEXEC.
int clinux_pipe(int descriptors[2]);

/// getrandom(2), all of `count` bytes, waiting for the pool only at boot.
int clinux_random(void *bytes, size_t count);

/// renameat2(2) in the working folder with RENAME_NOREPLACE: EEXIST when the new name is taken.
int clinux_rename_new(const char *from, const char *to);

/// renameat2(2) in the working folder with RENAME_EXCHANGE: each of the two names is the other's file, at once.
int clinux_exchange_names(const char *one, const char *other);

/// fallocate(2) from offset 0 with mode 0.
int clinux_allocate(int descriptor, int64_t length);

/// memfd_create(2): a file in memory, close-on-exec, that can be sealed.
int clinux_memory_file(const char *name);

/// fcntl(F_ADD_SEALS): the file in memory stays as it is from now on.
int clinux_seal(int descriptor);

/// Makes a folder's entries durable (new files, renames): open, fsync, close.
int clinux_sync_folder(const char *path);

/// memmem(3): where the `count` bytes first are in `bytes`, NULL if nowhere. In time linear in `size`.
const void *clinux_find(const void *bytes, size_t size, const void *sought, size_t count);

/// gettid(2).
int clinux_thread_identifier(void);

/// prctl(PR_SET_NAME): the calling thread's name in ps and gdb, 15 bytes are kept.
int clinux_name_thread(const char *name);

/// prctl(PR_SET_PDEATHSIG): the signal that the calling process gets when its parent's thread ends.
int clinux_signal_on_parent_death(int signal);

/// ioctl(TIOCGWINSZ): the terminal's columns, or -1 when the descriptor is none.
int clinux_terminal_columns(int descriptor);

/// wcwidth(3): the columns that a terminal gives a character in the locale's LC_CTYPE, -1 for a control
/// character.
int clinux_character_columns(uint32_t character);

#endif
