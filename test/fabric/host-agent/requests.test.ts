/** Requests as text: what is taken, and what is said of what is wrong. */
import { describe, expect, it } from "vitest";
import { checkSelectors, type ProbeRequest, readRequest } from "../../../src/fabric/host-agent/requests.js";

const NIC = { name: "eth0", mac: "02:00:00:00:00:0A", gateway: "02:00:00:00:00:0b" };
const START = {
  op: "start",
  ipv4: "10.0.0.1",
  tun: "agent0",
  nics: [NIC],
  field: "dscp",
  policy: {},
  seed: 1,
};
const FLOW = { op: "flow", id: 1, to: "10.0.0.2", port: 80 };
const PROBE = { op: "probe", id: 1, to: "fd00::2", port: 7, clientPort: 8, forward: [0, 1], reverse: [2] };

describe("a request", () => {
  it("gets its defaults, and addresses as bytes", () => {
    expect(readRequest(START)).toEqual({
      ...START,
      name: "host",
      ipv4: Uint8Array.of(10, 0, 0, 1),
      nics: [
        { name: "eth0", mac: Uint8Array.of(2, 0, 0, 0, 0, 10), gateway: Uint8Array.of(2, 0, 0, 0, 0, 11) },
      ],
      mtu: 1400,
      direct: false,
      ecn: false,
    });
    expect(readRequest(FLOW)).toEqual({
      ...FLOW,
      to: Uint8Array.of(10, 0, 0, 2),
      clientPort: 0,
      policyPort: false,
      finish: false,
    });
    expect(readRequest(PROBE)).toMatchObject({ count: 3, intervalNs: 1e6, timeoutNs: 500e6 });
    const segments = { segmentBytes: 200, windowSegments: 1, startNs: 2 ** 60 };
    expect(readRequest({ ...FLOW, ...segments })).toMatchObject(segments);
  });

  it.each<[unknown, string | RegExp]>([
    [null, "expected an object, got null"],
    [[1], "expected an object, got [1]"],
    [
      {},
      /^op: expected one of start, listen, flow, probe, message, receiving, stop-flow, statistics, stop, got nothing$/,
    ],
    [{ op: "toString" }, /^op: .*got "toString"$/],
    [{ ...START, ipv4: undefined }, "ipv4: the host needs an IPv4 or an IPv6 address"],
    [{ ...START, ipv4: "fd00::1" }, 'ipv4: expected an IPv4 address, got "fd00::1"'],
    [{ ...START, ipv6: "10.0.0.1" }, 'ipv6: expected an IPv6 address, got "10.0.0.1"'],
    [{ ...START, tun: "agent0123456789x" }, /^tun: expected a name of 1 to 15 characters, got "agent0/],
    [{ ...START, tun: "" }, 'tun: expected a name of 1 to 15 characters, got ""'],
    [{ ...START, nics: [] }, "nics: expected 1 to 16 NICs, got none"],
    [{ ...START, nics: Array(17).fill(NIC) }, "nics: expected 1 to 16 NICs"],
    [{ ...START, nics: [NIC, 7] }, "nics[1]: expected name, mac and gateway, got 7"],
    [
      { ...START, nics: [{ ...NIC, mac: "2:0:0:0:0:1" }] },
      /^nics\[0\]\.mac: expected a MAC address such as .*"2:0/,
    ],
    [
      { ...START, field: "tos" },
      'field: expected one of dscp, vlan, flow_label, dscp_flow_label, ttl, ttl4, got "tos"',
    ],
    [{ ...START, seed: -1 }, "seed: expected a whole number from 0 to 4294967295, got -1"],
    [{ ...START, mtu: 1279 }, "mtu: expected a whole number from 1280 to 9000, got 1279"],
    [{ ...START, rtoMinMs: 0.5 }, "rtoMinMs: expected a whole number from 1 to 120000, got 0.5"],
    [{ ...START, rateBps: "5Mbps" }, 'rateBps: expected a whole number from 1 to 1099511627776, got "5Mbps"'],
    [{ op: "listen", id: 1 }, "port: expected a whole number from 1 to 65535, got nothing"],
    [{ op: "listen", port: 1 }, /^id: expected a whole number/],
    [{ ...FLOW, to: "h2" }, 'to: expected an IPv4 or IPv6 address, got "h2"'],
    [{ ...FLOW, bytes: "many" }, /^bytes: .*got "many"$/],
    [
      { ...FLOW, windowSegments: 1 },
      "segmentBytes: windowSegments counts segments of this size; give it too",
    ],
    [{ ...PROBE, forward: [] }, "forward: expected 1 to 4096 selectors, got none"],
    [{ ...PROBE, forward: 3 }, "forward: expected a list of selectors, got 3"],
    [{ ...PROBE, forward: [0, -1] }, /^forward\[1\]: expected a whole number from 0 to/],
    [
      { ...PROBE, reverse: Array.from({ length: 65 }, (_, i) => i) },
      "reverse: expected 1 to 64 selectors, got 65",
    ],
    [{ ...PROBE, reverse: [1, 2, 1] }, "reverse: a selector is listed twice"],
  ])("is refused: %j", (json, message) => {
    expect(() => readRequest(json)).toThrow(message);
  });

  it("may name the selectors of its host's field only", () => {
    const probe = readRequest({ ...PROBE, forward: [63], reverse: [64] }) as ProbeRequest;
    expect(() => checkSelectors(probe, "dscp")).toThrow("reverse: expected whole numbers below 64, got 64");
    expect(() => checkSelectors(probe, "vlan")).not.toThrow();
  });
});
