// Every row of the table of matrix instructions against the machine code it stands for: waves
// compute C + A * B with values that the lane maps place, which comes out right only if the maps
// are.
#include "arch/matrix_product.hpp"

TEST(MatrixInstructions, ComputeTheirPlainProducts)
{
    ck::arch::test::compare_all_with_plain_products();
}
