#include core.p4
#ifdef
#endif
#line x
#define EXTRA 1
#ifdef EXTRA words
#endif
#foo
const bit<8> a = 1;
