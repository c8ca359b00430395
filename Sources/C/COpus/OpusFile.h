/* libopusfile: Ogg Opus files. */
#ifndef LIVESESSIONS_COPUSFILE_H
#define LIVESESSIONS_COPUSFILE_H

#include <opus/opusfile.h>

#endif
