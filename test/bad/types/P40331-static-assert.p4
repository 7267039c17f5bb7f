#include <core.p4>

const bit<16> size = 300;
const bool enough = static_assert(size >= 1024, "the table needs 1024 entries"); // <- here
