/// Pixels: JPEG by libjpeg-turbo, conversion and scaling by libyuv.
#pragma once

#include "CJPEG.h"
#include "CJPEGEncoder.h"
#include "CYUV.h"
