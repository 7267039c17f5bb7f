import { describe, expect, it } from "vitest";
import { hostNetwork } from "../../src/exercises/index.js";

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
});
