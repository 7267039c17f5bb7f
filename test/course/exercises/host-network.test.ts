import { describe, expect, it } from "vitest";
import { hostNetwork } from "../../../src/course/exercises/index.js";

const ip = (text: string) => text.split(".").reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
const host = (...commands: string[]) => hostNetwork({ ipv4: ip("10.0.1.1"), prefixLength: 24, commands });

describe("routes and neighbours of a host", () => {
  it("has a route to its own subnet, and no other without commands", () => {
    expect(host().nextHop(ip("10.0.1.9"))).toBe(ip("10.0.1.9"));
    expect(host().nextHop(ip("10.0.2.9"))).toBeUndefined();
  });

  it("uses the longest prefix of route and ip route", () => {
    const { nextHop } = host(
      "route add default gw 10.0.1.10 dev eth0",
      "ip route add 10.7.0.0/16 via 10.0.1.20",
      "ip route add 10.7.3.0/24 via 10.0.1.30",
      "ip route del 10.7.3.0/24",
    );
    expect(nextHop(ip("10.0.2.9"))).toBe(ip("10.0.1.10"));
    expect(nextHop(ip("10.7.3.9"))).toBe(ip("10.0.1.20"));
    expect(nextHop(ip("10.0.1.9"))).toBe(ip("10.0.1.9"));
  });

  it("reads the neighbours of arp and ip neigh, and ignores other commands", () => {
    const { neighbours } = host(
      "arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00",
      "ip neigh add 10.0.1.2 lladdr 08:00:00:00:01:22 dev eth0",
      "ip neigh add 10.0.1.3 lladdr 08:00:00:00:01:33 dev eth0",
      "arp -d 10.0.1.3 -i eth0",
      "sysctl -w net.ipv4.ip_forward=1",
      "ip neigh add 10.0.1.4 lladdr nonsense dev eth0",
    );
    expect([...neighbours]).toEqual([
      [ip("10.0.1.10"), 0x080000000100n],
      [ip("10.0.1.2"), 0x080000000122n],
    ]);
  });

  it("sees white space around and between words, and the short names of ip", () => {
    const { nextHop, neighbours } = host(
      "  ip   r   add   default   via   10.0.1.10 ",
      "ip n add 10.0.1.10 lladdr 08:00:00:00:01:00 dev eth0",
      "ifconfig neigh add 10.0.1.11 lladdr 08:00:00:00:01:00 dev eth0",
      "ip link add 10.0.1.12 lladdr 08:00:00:00:01:00 dev eth0",
      "ip addr add 10.9.0.0/16 via 10.0.1.77",
    );
    expect(nextHop(ip("10.9.2.9"))).toBe(ip("10.0.1.10"));
    expect([...neighbours.keys()]).toEqual([ip("10.0.1.10")]);
  });

  it("adds a route once, and replaces or deletes those that are there", () => {
    const hop = (...commands: string[]) => host(...commands).nextHop(ip("10.7.0.1"));
    const add = (via: string) => `ip route add 10.7.0.0/16 via ${via}`;
    expect(hop(add("10.0.1.2"), "ip route replace 10.7.0.0/16 via 10.0.1.3")).toBe(ip("10.0.1.3"));
    expect(hop("ip route replace 10.7.0.0/16 via 10.0.1.3")).toBe(ip("10.0.1.3"));
    expect(hop(add("10.0.1.2"), "ip route del 10.7.0.0/16")).toBeUndefined();
    expect(hop("ip route del 10.7.0.0/16", add("10.0.1.2"))).toBe(ip("10.0.1.2"));
    expect(hop("ip route change 10.7.0.0/16 via 10.0.1.2")).toBeUndefined();
    expect(hop("ip route add 10.7.0.0/16 dev eth0")).toBe(ip("10.7.0.1"));
    expect(hop("ip route add 10.7.0.1 via 10.0.1.4")).toBe(ip("10.0.1.4"));
    // A route of the subnet itself on the link is there already.
    expect(
      host("ip route add 10.0.1.0/24 dev eth0", "ip route del 10.0.1.0/24").nextHop(ip("10.0.1.9")),
    ).toBeUndefined();
  });

  it("ignores what is no address, prefix or MAC address", () => {
    const hop = (target: string) => host(`ip route add ${target} via 10.0.1.10`).nextHop(ip("10.7.0.1"));
    for (const target of ["10.7.0.0/33", "10.7.0.256/16", "10.7.0/16", "here", "10.7.0.0.0/16"])
      expect([target, hop(target)]).toEqual([target, undefined]);
    const { neighbours } = host(
      "ip neigh add 10.0.1.300 lladdr 08:00:00:00:01:00 dev eth0",
      "ip neigh add 10.0.1.2 lladdr 08:00:00:00:01 dev eth0",
      "ip neigh add 10.0.1.3 lladdr x08:00:00:00:01:00 dev eth0",
      "ip neigh add 10.0.1.4 lladdr 08:00:00:00:01:00:11 dev eth0",
      "ip neigh add 10.0.1.5 dev eth0",
      "ip neigh show 10.0.1.6 lladdr 08:00:00:00:01:00",
      "ip neigh replace 10.0.1.7 lladdr 08:00:00:00:0A:ff dev eth0",
    );
    expect([...neighbours]).toEqual([[ip("10.0.1.7"), 0x080000000affn]]);
  });
});
