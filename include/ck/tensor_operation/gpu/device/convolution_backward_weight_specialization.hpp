#pragma once
// Composable Kernel's path for the convolution specialisations.
#include "ck/convolution/specialization.hpp"
