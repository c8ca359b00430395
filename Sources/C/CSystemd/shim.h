#ifndef LIVESESSIONS_CSYSTEMD_SHIM_H
#define LIVESESSIONS_CSYSTEMD_SHIM_H

#include <systemd/sd-daemon.h>

#endif
