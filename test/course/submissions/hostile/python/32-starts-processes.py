# Wants more processes and threads than its own.
import os
import subprocess
import threading


def child():
    if os.fork() == 0:
        os._exit(0)


attempts = [child, lambda: subprocess.run(["/bin/sh", "-c", "true"]), lambda: threading.Thread(target=print).start()]
for attempt in attempts:
    try:
        attempt()
    except (OSError, RuntimeError):
        continue
    raise ValueError("it has more than one thread")
