"""The solution of exercise 9 in Python: learns where stations are."""


def start(switches, log):
    for switch in switches.values():
        learn(switch, log)


def learn(switch, log):
    port_of = {}

    def packet_in(packet):
        destination, source = packet.payload[0:6].hex(":"), packet.payload[6:12].hex(":")
        port = packet.metadata["port"]
        before = port_of.get(source)
        if before != port:
            if before is not None:
                switch.run(f"delete sources {source} {before}")
                switch.run(f"delete stations {source}")
            switch.run(f"insert sources {source} {port} => NoAction")
            switch.run(f"insert stations {source} => send_to {port}")
            port_of[source] = port
            log(f"{switch.name}: {source} is at port {port}")
        target = port_of.get(destination)
        flood = target is None
        switch.packet_out(
            packet.payload, {"port": port if flood else target, "flood": int(flood), "padding": 0}
        )

    switch.on_packet_in(packet_in)
