#pragma once
// What plugin.cpp exports. See ../symbols.cmake.

#include <cstddef>

#define EXPORTED extern "C" __attribute__((visibility("default")))

/// One output element of a 3x3 convolution of ones with 8 channels, by ck::plan.
EXPORTED float plugin_element();
/// The number of plans that this copy of the library has cached.
EXPORTED std::size_t plugin_plans();
/// The number of instances of this copy of the factory.
EXPORTED std::size_t plugin_instances();
/// The address of ck::plan as the plugin sees it.
EXPORTED const void* plugin_address_of_plan();
