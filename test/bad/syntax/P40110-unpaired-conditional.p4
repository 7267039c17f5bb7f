#else
#endif
#if 1
#else
#else
#endif
#if 1
const bit<8> a = 1;
