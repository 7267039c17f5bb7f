// Takes the solution of the exercise.
#include "solution/forwarding.p4"
