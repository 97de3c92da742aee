// Stands in for the tests of this folder where isl is not installed.
#include "test.h"

TEST(nests_as_isl_sees_them)
{
    SKIP("isl is missing (Debian: libisl-dev; tools/install-deps test installs it)");
}
