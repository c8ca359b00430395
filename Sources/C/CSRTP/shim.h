#ifndef LIVESESSIONS_CSRTP_H
#define LIVESESSIONS_CSRTP_H

#include <srtp2/srtp.h>

#endif
