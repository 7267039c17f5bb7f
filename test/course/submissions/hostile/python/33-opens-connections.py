# Calls the machine that grades, and others.
import os
import socket

for family, address in [
    (socket.AF_INET, ("127.0.0.1", PORT)),
    (socket.AF_INET, ("192.0.2.1", 80)),
    (socket.AF_UNIX, "/run/systemd/private"),
]:
    try:
        socket.socket(family).connect(address)
    except OSError:
        continue
    raise RuntimeError(f"{address} answers")
if [name for _, name in socket.if_nameindex() if name != "lo"]:
    raise RuntimeError("there are interfaces")
