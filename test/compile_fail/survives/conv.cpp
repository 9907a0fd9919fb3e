// What needs neither exceptions nor RTTI: the one call, with its tuning, and the tensors' names.
#include "ck/conv.h"

#include "ck/conv.hpp"
#include "ck/tune.hpp"

long workspace(const ck::ConvPlan& plan) { return static_cast<long>(plan.workspace_size()); }
