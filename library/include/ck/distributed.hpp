#pragma once
// Convolutions on more than one GPU: communicators, and convolutions that are split between ranks.
//
// docs/distributed.md explains the interface. Link composable_kernel::distributed.
#include "ck/distributed/communicator.hpp"
#include "ck/distributed/launch.hpp"
#include "ck/distributed/split.hpp"
#include "ck/distributed/split_convolution.hpp"
