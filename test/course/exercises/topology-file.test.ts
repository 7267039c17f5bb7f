import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { readTopologyFile } from "../../../src/course/exercises/index.js";

const example = resolve(import.meta.dirname, "../../../examples/exercise/topo/topology.json");

function read(content: unknown) {
  const diagnostics = new Diagnostics();
  const file = new SourceFile(
    "topology.json",
    typeof content === "string" ? content : JSON.stringify(content),
  );
  const topology = readTopologyFile(file, diagnostics);
  return { topology, errors: diagnostics.list.map(({ code, message }) => `${code} ${message}`) };
}

const host = { ip: "10.0.1.1/24", mac: "08:00:00:00:01:11" };

describe("topology.json", () => {
  it("reads hosts, switches and links", () => {
    const { topology, errors } = read(readFileSync(example, "utf8"));
    expect(errors).toEqual([]);
    expect(topology!.hosts[0]).toEqual({
      name: "h1",
      ipv4: 0x0a000101n,
      prefixLength: 24,
      mac: 0x080000000111n,
      commands: ["route add default gw 10.0.1.254 dev eth0", "arp -i eth0 -s 10.0.1.254 08:00:00:00:01:00"],
    });
    expect(topology!.switches.map(({ name }) => name)).toEqual(["s1", "s2", "s3"]);
    expect(topology!.switches[2]).toEqual({ name: "s3", commandFile: "topo/s3-commands.txt" });
    expect(topology!.links[3]).toEqual({ a: { node: "s1", port: 2 }, b: { node: "s2", port: 3 } });
  });

  it("accepts ports up to 510: the program has 9 bits for them, of which 511 drops a packet", () => {
    const withPort = (port: number) =>
      read({ hosts: { h1: host }, switches: { s1: {} }, links: [["h1", `s1-p${port}`]] });
    expect(withPort(510).errors).toEqual([]);
    expect(withPort(510).topology!.links[0]!.b).toEqual({ node: "s1", port: 510 });
    expect(withPort(511).errors).toEqual([expect.stringContaining("the maximum port of a switch is 510")]);
  });

  it("reads latencies and bandwidths, ports and numbers in quotes, and ignores unknown keys", () => {
    const { topology, errors } = read({
      course: "networks",
      hosts: { h1: { ...host, note: "left" }, h2: host },
      switches: { s1: { cpu_port: "510", priority_queues: 8 }, s2: { program: "build/other.json" } },
      links: [
        ["h1", "s1-p1", "10ms", 0.5],
        ["h2", "s2-p1", 2],
        ["s1-p2", "s2-p0", "0", null],
      ],
    });
    expect(errors).toEqual([]);
    expect(topology!.switches[0]).toEqual({ name: "s1", cpuPort: 510, priorityQueues: 8 });
    expect(topology!.switches[1]).toEqual({ name: "s2", program: "build/other.json" });
    expect(topology!.links).toEqual([
      { a: { node: "h1", port: 0 }, b: { node: "s1", port: 1 }, delayNs: 10e6, rateBps: 5e5 },
      { a: { node: "h2", port: 0 }, b: { node: "s2", port: 1 }, delayNs: 2e6 },
      { a: { node: "s1", port: 2 }, b: { node: "s2", port: 0 } },
    ]);
  });

  it.each([
    ["no JSON", "{ hosts", /P43001/],
    ["a part missing", { hosts: {}, switches: {} }, /P43003 missing key "links"/],
    [
      "no address",
      { hosts: { h1: { ...host, ip: "10.0.0.300" } }, switches: {}, links: [] },
      /P43004 .*IPv4 address/,
    ],
    ["no MAC", { hosts: { h1: { ...host, mac: "08:00" } }, switches: {}, links: [] }, /P43004 .*MAC address/],
    [
      "an unknown end",
      { hosts: { h1: host }, switches: { s1: {} }, links: [["h1", "s9-p1"]] },
      /P43151 s9-p1: no such/,
    ],
    [
      "no port",
      { hosts: { h1: host }, switches: { s1: {} }, links: [["h1", "s1"]] },
      /P43151 s1 is a switch: add its port/,
    ],
    [
      "a port too high",
      { hosts: { h1: host }, switches: { s1: {} }, links: [["h1", "s1-p511"]] },
      /P43151 s1-p511: the maximum port/,
    ],
    [
      "an end twice",
      {
        hosts: { h1: host, h2: host },
        switches: { s1: {} },
        links: [
          ["h1", "s1-p1"],
          ["h2", "s1-p1"],
        ],
      },
      /P43152 s1-p1 has a link already: links\[0\]/,
    ],
    [
      "two hosts",
      { hosts: { h1: host, h2: host }, switches: {}, links: [["h1", "h2"]] },
      /P43153 h1 and h2 are both hosts/,
    ],
    ["a host alone", { hosts: { h1: host }, switches: {}, links: [] }, /P43154 h1 has no link/],
    [
      "a name with a dash",
      { hosts: { "h-1": host }, switches: {}, links: [] },
      /P43150 h-1 is not a valid name/,
    ],
    [
      "a host that is a switch",
      { hosts: { n: host }, switches: { n: {} }, links: [] },
      /P43150 n is the name of both a host and a switch/,
    ],
    [
      "a wrong latency",
      { hosts: { h1: host }, switches: { s1: {} }, links: [["h1", "s1-p1", "fast"]] },
      /P43004 .*latency/,
    ],
    [
      "no CPU port",
      { hosts: {}, switches: { s1: { cpu_port: "511" } }, links: [] },
      /P43004 .*a CPU port, a whole number from 1 to 510/,
    ],
  ])("refuses %s", (_what, content, error) => {
    const { topology, errors } = read(content);
    expect(topology).toBeUndefined();
    expect(errors.join("\n")).toMatch(error);
  });

  it("reads latencies in all units, and files of commands and queues", () => {
    const delay = (latency: unknown) =>
      read({ hosts: { h1: host }, switches: { s1: {} }, links: [["h1", "s1-p1", latency]] }).topology
        ?.links[0]?.delayNs;
    expect(["250us", "1.25ms", "2s", "3", 4].map(delay)).toEqual([250e3, 1.25e6, 2e9, 3e6, 4e6]);
    expect(["1.ms", "1 ms", "-1ms", "1h", true].map(delay)).toEqual(Array(5).fill(undefined));
  });

  it("reports every link that is wrong, and each host without one", () => {
    const { errors } = read({
      hosts: { h1: host, h2: host, h3: host },
      switches: { s1: {} },
      links: [
        ["h1", "x"],
        ["h1", "s1-p1"],
        ["y", "s1-p1"],
      ],
    });
    expect(errors).toEqual([
      expect.stringMatching(/^P43151 x: no such host or switch port \(there are h1, h2, h3, s1-pN\)/),
      expect.stringMatching(/^P43152 h1 has a link already: links\[0\]/),
      expect.stringMatching(/^P43151 y: no such/),
      expect.stringMatching(/^P43152 s1-p1 has a link already: links\[1\]/),
      "P43154 h2 has no link",
      "P43154 h3 has no link",
    ]);
  });

  it.each([
    ["a CPU port of 0", { cpu_port: 0 }, /a CPU port, a whole number from 1 to 510/],
    ["a CPU port of 1.5", { cpu_port: 1.5 }, /a CPU port/],
    ["a CPU port in words", { cpu_port: "12x" }, /a CPU port/],
    ["257 queues", { priority_queues: 257 }, /a number of queues, a whole number from 1 to 256/],
  ])("refuses %s", (_, entry, message) => {
    expect(read({ hosts: {}, switches: { s1: entry }, links: [] }).errors.join()).toMatch(message);
  });

  it("reports the place of an error", () => {
    const diagnostics = new Diagnostics();
    const text = '{\n "hosts": {},\n "switches": {"s1": {}},\n "links": [["s1-p1", "s2-p1"]]\n}';
    readTopologyFile(new SourceFile(join("lab", "topology.json"), text), diagnostics);
    expect(formatDiagnostic(diagnostics.list[0]!)).toContain("topology.json:4:22: error[P43151]");
  });
});
