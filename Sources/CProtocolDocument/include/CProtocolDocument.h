// Protocol/openrpc.json, as it was when the program was built.
#ifndef LISTS_CPROTOCOLDOCUMENT_H
#define LISTS_CPROTOCOLDOCUMENT_H

#include <stddef.h>

extern const unsigned char lists_openrpc_document[];
extern const size_t lists_openrpc_document_count;

#endif
