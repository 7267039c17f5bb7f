import { describe, expect, it } from "vitest";
import { inIproute2 } from "../../../src/course/exercises/index.js";

describe("commands of net-tools", () => {
  it.each([
    ["route add default gw 10.0.1.10 dev eth0", "ip route add default via 10.0.1.10 dev eth0"],
    ["route add -net 10.0.0.0/8 gw 10.0.1.10", "ip route add 10.0.0.0/8 via 10.0.1.10"],
    ["route del default", "ip route del default"],
    [
      "arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00",
      "ip neigh replace 10.0.1.10 lladdr 08:00:00:00:01:00 nud permanent dev eth0",
    ],
    [
      "  arp -s 10.0.1.10 08:00:00:00:01:00 -i eth0 ",
      "ip neigh replace 10.0.1.10 lladdr 08:00:00:00:01:00 nud permanent dev eth0",
    ],
    ["arp -d 10.0.1.10 -i eth0", "ip neigh del 10.0.1.10 dev eth0"],
  ])("%s", (command, expected) => {
    expect(inIproute2(command)).toBe(expected);
  });

  it.each([
    "route -n",
    "route",
    "route add 10.0.0.1 10.0.0.2",
    "route add",
    "arp -a",
    "arp -i eth0 -s 10.0.1.10",
    "arp -s 10.0.1.10 08:00:00:00:01:00",
    "ip route add default via 10.0.1.10",
    "route add default gw 10.0.1.10; reboot",
    "routes",
    "arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00 temp",
    "arp -d 10.0.1.10 08:00:00:00:01:00 -i eth0",
    "arp -i eth0 10.0.1.10 08:00:00:00:01:00",
    "arp -i eth0 -s",
    "route change default gw 10.0.1.10",
  ])("leaves %s as it is", (command) => {
    expect(inIproute2(command)).toBeUndefined();
  });
});
