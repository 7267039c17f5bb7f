# Looks for files of the machine, of the exercise, and of others; leaves marks.
import os

for path in ["/etc/passwd", "/proc/self/environ", "/old/etc/passwd", "SOLUTION", "MARKS/secret", "/dev/kmsg", "/sys/kernel"]:
    if os.path.exists(path):
        raise RuntimeError(f"{path} is there")
for folder in ["/", "/tmp", "/old", "/usr/lib", "MARKS", "."]:
    try:
        open(f"{folder}/p4loom-hostile-mark", "w").close()
    except OSError:
        continue
    raise RuntimeError(f"{folder} can be written")
if set(os.listdir("/")) - {"bin", "lib", "lib64", "old", "proc", "root", "usr", "home", "opt"}:
    raise RuntimeError(f"the root has {os.listdir('/')}")
