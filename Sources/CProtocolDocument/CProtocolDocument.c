#include "CProtocolDocument.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../Protocol/openrpc.json"
};
const size_t lists_openrpc_document_count = sizeof document;

const unsigned char *lists_openrpc_document_start(void) { return document; }
