/** The packets that a fault of a file names: what the switches and the simulator match, or what is wrong. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { packetMatch } from "../../../../src/fabric/experiment/faults/schema.js";
import { hostsOf } from "../../../../src/fabric/topology/index.js";
import { example } from "../../topology/load.js";

const topology = example("clos");
const host = hostsOf(topology)[3]!;

function look(spec: Parameters<typeof packetMatch>[0], ip: 4 | 6 = 4) {
  const diagnostics = new Diagnostics();
  const keys: string[] = [];
  const file = new SourceFile("faults.yaml", "");
  const at = (key = "", inner = "") => {
    keys.push(`${key}.${inner}`);
    return { file, start: 0, end: 0 };
  };
  const match = packetMatch(spec, topology, ip, { at, diagnostics });
  const messages = diagnostics.list.map(({ code, message }) => `${code} ${message}`);
  return { match, messages, keys };
}

describe("a match", () => {
  it("of nothing is none", () => {
    expect(look(undefined).match).toBeUndefined();
    expect(look({}).match).toBeUndefined();
    expect(look({ protocol: undefined }).match).toBeUndefined();
  });

  it.each([
    [{ protocol: "tcp" as const }, { protocol: 6 }],
    [{ protocol: "icmp" as const }, { protocol: 1 }],
    [{ protocol: "icmpv6" as const }, { protocol: 58 }],
    [{ protocol: 47 }, { protocol: 47 }],
    [
      { protocol: "udp" as const, src_port: 5 },
      { protocol: 17, srcPort: 5 },
    ],
    [
      { protocol: 6, dst_port: 5 },
      { protocol: 6, dstPort: 5 },
    ],
    [
      { src_port: 1, dst_port: 2 },
      { srcPort: 1, dstPort: 2 },
    ],
    [{ min_bytes: 9 }, { minBytes: 9 }],
    [{ max_bytes: 9 }, { maxBytes: 9 }],
    [
      { min_bytes: 9, max_bytes: 9 },
      { minBytes: 9, maxBytes: 9 },
    ],
    [{ src: "10.0.0.0/8" }, { src: { ipVersion: 4, address: 0x0a000000n, length: 8 } }],
    [{ dst: "10.1.2.3" }, { dst: { ipVersion: 4, address: 0x0a010203n, length: 32 } }],
    [{ dst: "10.1.2.3/32" }, { dst: { ipVersion: 4, address: 0x0a010203n, length: 32 } }],
    [{ src: "0.0.0.0/0" }, { src: { ipVersion: 4, address: 0n, length: 0 } }],
    [{ src: host.name }, { src: { ipVersion: 4, address: host.host!.ipv4, length: 32 } }],
  ])("%j", (spec, match) => {
    expect(look(spec)).toEqual({ match, messages: [], keys: expect.anything() });
  });

  it.each([
    [{ src: "2001:db8::/32" }, { src: { ipVersion: 6, address: 0x20010db8n << 96n, length: 32 } }],
    [{ src: "::1/128" }, { src: { ipVersion: 6, address: 1n, length: 128 } }],
    [{ dst: host.name }, { dst: { ipVersion: 6, address: host.host!.ipv6, length: 128 } }],
  ])("with IPv6: %j", (spec, match) => {
    expect(look(spec, 6)).toEqual({ match, messages: [], keys: expect.anything() });
  });
});

describe("a wrong match", () => {
  it.each([
    [
      { protocol: "icmp" as const, src_port: 5 },
      "match.protocol",
      "P43034 packets of protocol icmp have no ports",
    ],
    [{ protocol: 1, dst_port: 5 }, "match.protocol", "P43034 packets of protocol 1 have no ports"],
    [
      { min_bytes: 10, max_bytes: 9 },
      "match.max_bytes",
      "P43034 max_bytes, 9, is less than min_bytes, 10: no packet matches",
    ],
    [{ src: "10.0.0.1/8" }, "match.src", "P43034 10.0.0.1/8 has bits beyond its first 8"],
    [{ dst: "10.0.0.0/33" }, "match.dst", 'P43034 "/33" is no length of a prefix of IPv4: 0 to 32'],
    [{ dst: "10.0.0.0/x" }, "match.dst", 'P43034 "/x" is no length of a prefix of IPv4: 0 to 32'],
    [{ dst: "10.0.0.0/" }, "match.dst", 'P43034 "/" is no length of a prefix of IPv4: 0 to 32'],
    [
      { dst: "2001:db8::1" },
      "match.dst",
      "P43034 2001:db8::1 is an address of IPv6, but traffic.ip is 4: no packet matches",
    ],
    [{ src: "nobody" }, "match.src", 'P43014 no host is called "nobody"'],
    [{ src: "feed" }, "match.src", 'P43014 no host is called "feed"'],
    [{ src: "02:00:00:00:00:01" }, "match.src", 'P43014 no host is called "02:00:00:00:00:01"'],
    [{ src: "1.2.3.x" }, "match.src", 'P43014 no host is called "1.2.3.x"'],
  ])("%j", (spec, key, message) => {
    const { messages, keys } = look(spec);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(message);
    expect(keys).toContain(key);
  });

  it("is an address that cannot be read", () => {
    const { match, messages } = look({ src: "10.0.0.256" });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^P43034 /);
    expect(match).not.toHaveProperty("src");
  });
});
