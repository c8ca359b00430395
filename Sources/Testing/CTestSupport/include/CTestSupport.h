/// What tests need of C: counted allocations, odd JPEGs, network namespaces.
#pragma once

#include "CAllocationCounter.h"
#include "CJPEGSamples.h"
#include "CNetworkNamespace.h"
