#if (1 +
#endif
#if 8w1 == 1
#endif
#if 1 / 0
#endif
#if defined(3)
#endif
#if 1 2
#endif
