#include "CProtocolDocument.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const unsigned char lists_openrpc_document[] = {
#embed "../../Protocol/openrpc.json"
};
const size_t lists_openrpc_document_count = sizeof lists_openrpc_document;
