/* libyuv: only the conversions; Debian ships no pkg-config file for it. */
#ifndef LIVESESSIONS_CYUV_H
#define LIVESESSIONS_CYUV_H

#include <libyuv/convert.h>
#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>

#endif
