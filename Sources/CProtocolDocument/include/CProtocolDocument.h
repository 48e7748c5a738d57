// Protocol/openrpc.json, as it was when the program was built.
#ifndef LISTS_CPROTOCOLDOCUMENT_H
#define LISTS_CPROTOCOLDOCUMENT_H

#include <stddef.h>

const unsigned char *lists_openrpc_document_start(void);
extern const size_t lists_openrpc_document_count;

#endif
