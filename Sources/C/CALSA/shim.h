/* ALSA: what is variadic or a macro, as inline functions. */
#ifndef LIVESESSIONS_CALSA_H
#define LIVESESSIONS_CALSA_H

#include <alsa/asoundlib.h>
#include <time.h>

static inline void calsa_ignore_error(const char *file, int line, const char *function, int error,
                                      const char *format, ...) {
  (void)file;
  (void)line;
  (void)function;
  (void)error;
  (void)format;
}

/* ALSA reports to stderr by itself; errors reach us as return codes, so its printing is switched off. */
static inline void calsa_silence_errors(void) { snd_lib_error_set_handler(calsa_ignore_error); }

#endif
