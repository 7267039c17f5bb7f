"""Creates the hosts and links of a p4loom lab with Mininet.

Reads one JSON line {"hosts": [name], "links": [[node, interface, node, interface]]}, answers one line
{"hosts": {name: pid}}, and runs until its stdin is closed; then it removes everything. Nodes that are not hosts are
switches: p4loom runs them, so their interfaces are in the namespace in which this script was started. Addresses,
rates and everything else are set by p4loom.
"""

import json
import sys

from mininet.link import Link
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import Node


def main():
    setLogLevel("error")
    request = json.loads(sys.stdin.readline())
    # Mininet would raise limits of the whole machine permanently
    Mininet.inited = True
    net = Mininet(build=False, controller=None)
    switches = Node("p4loom", inNamespace=False)
    try:
        nodes = {name: net.addHost(name, ip=None) for name in request["hosts"]}
        for a, a_interface, b, b_interface in request["links"]:
            Link(
                nodes.get(a, switches),
                nodes.get(b, switches),
                intfName1=a_interface,
                intfName2=b_interface,
            )
        print(json.dumps({"hosts": {name: node.pid for name, node in nodes.items()}}), flush=True)
        sys.stdin.read()
    finally:
        net.stop()
        switches.terminate()


main()
