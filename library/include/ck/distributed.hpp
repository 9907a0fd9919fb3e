#pragma once
// Convolutions past one GPU: communicators, and convolutions of which each rank computes a part.
//
// docs/distributed.md explains it. Link composable_kernel::distributed.
#include "ck/distributed/communicator.hpp"
#include "ck/distributed/launch.hpp"
#include "ck/distributed/split.hpp"
#include "ck/distributed/split_convolution.hpp"
