#include <gcrypt.h>

/// gcry_control(GCRYCTL_INITIALIZATION_FINISHED), which is variadic: says that the defaults will do.
static inline void cgcrypt_finish_initialization(void) {
  if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) return;
  gcry_check_version(NULL);
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}
