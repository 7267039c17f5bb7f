#ifndef TARGET
#error define TARGET: it's the switch to build for
#endif
