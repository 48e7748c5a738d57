// What Glibc's Swift module lacks. Declarations only: the definitions need _GNU_SOURCE, which clashes
// with the module when it stands in a header.
#ifndef LISTS_CLINUX_H
#define LISTS_CLINUX_H

#endif
