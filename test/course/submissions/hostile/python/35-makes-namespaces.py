# Wants to be root in namespaces of its own, and from there to see more than before.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
libc.unshare(NEW_USER | NEW_MOUNTS)
for kind, place in [(b"proc", b"/proc"), (b"sysfs", b"/proc"), (b"devtmpfs", b"/proc")]:
    if libc.mount(b"none", place, kind, 0, None) == 0 and os.listdir("/proc"):
        raise RuntimeError(f"{kind} can be mounted")
libc.umount2(b"/", 2)
libc.chroot(b"/old")
for path in ["/etc/passwd", "../../../../etc/passwd"]:
    if os.path.exists(path):
        raise RuntimeError(f"{path} is there")
libc.chroot(b"/")
