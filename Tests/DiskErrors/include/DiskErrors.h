// Has calls that change files fail, as a disk that is full or broken does: stands in front of the C library's functions in
// whatever program it is linked into.
#ifndef LISTS_DISK_ERRORS_H
#define LISTS_DISK_ERRORS_H

/// From now on counts the calls that change what is in this folder, or bring it to the disk. The `first`th (from 1 on; 0
/// for none) fails with `code`, and so does each one behind it where `persists` is not 0. One folder at a time.
void disk_errors_begin(const char *folder, long first, int code, int persists);

/// Lets everything through again, and tells how many calls there were.
long disk_errors_end(void);

#endif
