/** The element that a fault of a file names, or what is wrong with the name. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import {
  type ElementSpec,
  elementOf,
  type FlowNumbers,
  listed,
} from "../../../../src/fabric/experiment/faults/element.js";
import { ALL_CHANNELS } from "../../../../src/fabric/experiment/faults/fault.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { build, example } from "../../topology/load.js";

const topology = example("clos");
const [tor, leaf] = [nodeNamed(topology, "tor0-0")!, nodeNamed(topology, "leaf0-1")!];
const port = tor.ports.find(({ peer }) => peer === leaf.index)!;
const torIsA = topology.links[port.link]!.a.node === tor.index;
const hostName = topology.nodes.find(({ role }) => role === "host")!.name;

/** The element, and the messages with their key. */
function look(spec: ElementSpec, flows: FlowNumbers = 4, on: Topology = topology) {
  const diagnostics = new Diagnostics();
  const keys: string[] = [];
  const file = new SourceFile("faults.yaml", "");
  const at = (key = "") => {
    keys.push(key);
    return { file, start: 0, end: 0 };
  };
  const element = elementOf(spec, on, flows, { at, diagnostics });
  return {
    element,
    messages: diagnostics.list.map(({ code, message, notes = [] }) =>
      [code, message, ...notes.map((note) => note.message)].join("; "),
    ),
    key: keys.at(-1),
  };
}

describe("an element", () => {
  it.each<[ElementSpec, unknown]>([
    [{ switch: "tor0-0" }, { kind: "node", index: tor.index }],
    [{ host: hostName }, { kind: "node", index: nodeNamed(topology, hostName)!.index }],
    [{ control: "tor0-0" }, { kind: "control", index: tor.index }],
    [{ control: hostName }, { kind: "control", index: nodeNamed(topology, hostName)!.index }],
    [{ control: "all" }, { kind: "control", index: ALL_CHANNELS }],
    [{ flow: 0 }, { kind: "flow", index: 0, ways: "out" }],
    [
      { flow: 3, direction: "in" },
      { kind: "flow", index: 3, ways: "in" },
    ],
    [{ link: ["tor0-0", "leaf0-1"] }, { kind: "link", index: port.link, ways: "both" }],
    [{ port: ["tor0-0", port.number] }, { kind: "link", index: port.link, ways: "both" }],
  ])("%j", (spec, element) => {
    expect(look(spec)).toMatchObject({ element, messages: [] });
  });

  it("of one direction is seen from the node that is named first", () => {
    const ways = (spec: ElementSpec) => (look(spec).element as { ways: string }).ways;
    const [out, back] = torIsA ? ["out", "in"] : ["in", "out"];
    expect(ways({ link: ["tor0-0", "leaf0-1"], direction: "out" })).toBe(out);
    expect(ways({ link: ["tor0-0", "leaf0-1"], direction: "in" })).toBe(back);
    expect(ways({ link: ["leaf0-1", "tor0-0"], direction: "out" })).toBe(back);
    expect(ways({ link: ["leaf0-1", "tor0-0"], direction: "in" })).toBe(out);
    expect(ways({ port: ["leaf0-1", port.peerPort], direction: "out" })).toBe(back);
    expect(ways({ port: ["tor0-0", port.number], direction: "both" })).toBe("both");
  });
});

describe("what names no element", () => {
  it.each<[ElementSpec, FlowNumbers, string, RegExp]>([
    [{}, 4, "", /^P43031; a fault without an element; name one of link, port, switch, host, control, flow$/],
    [{ switch: "tor0-0", flow: 1 }, 4, "", /^P43031; a fault of a switch and a flow; /],
    [
      { switch: "tor0-9" },
      4,
      "switch",
      /^P43014; no switch is called "tor0-9".*did you mean.*; switches: tor0-0, /,
    ],
    [{ switch: hostName }, 4, "switch", /^P43014; no switch is called "host/],
    [{ host: "tor0-0" }, 4, "host", /^P43014; no host is called "tor0-0".*; hosts: host/],
    [
      { control: "al" },
      4,
      "control",
      /^P43014; no switch and no host is called "al".*did you mean "all".*; name one of them, or all$/,
    ],
    [{ flow: 4 }, 4, "flow", /^P43014; there is no flow 4; there are 4 flows, from 0 to 3$/],
    [{ flow: 0 }, "they are drawn", "flow", /^P43014; flow 0 cannot be named: they are drawn$/],
    [
      { flow: 0, direction: "both" },
      4,
      "direction",
      /^P430\d\d; the packets of a flow are counted in one direction; /,
    ],
    [{ port: ["tor0-0", 99] }, 4, "port", /^P43014; tor0-0 has no port 99; it has the ports 1 to \d+$/],
    [{ port: ["tor9", 1] }, 4, "port", /^P43014; no switch is called "tor9"/],
    [{ link: ["tor0-0", "leaf9"] }, 4, "link", /^P43014; no node is called "leaf9"/],
    [
      { link: ["tor0-0", "tor0-1"] },
      4,
      "link",
      /^P43014; no link between tor0-0 and tor0-1; tor0-0 is linked to /,
    ],
  ])("%j", (spec, flows, key, message) => {
    const { element, messages, key: at } = look(spec, flows);
    expect(element).toBeUndefined();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(message);
    expect(at).toBe(key);
  });

  it("names both ends of a link that the topology lacks", () => {
    const { messages } = look({ link: ["a", "b"] });
    expect(messages.map((text) => text.slice(0, 35))).toEqual(
      ['P43014; no node is called "a"', 'P43014; no node is called "b"'].map((text) =>
        expect.stringContaining(text),
      ),
    );
  });

  it.each<[ElementSpec, string]>([
    [{ switch: "tor0-0", direction: "out" }, "a switch has no direction; name a link or a port"],
    [{ host: hostName, direction: "both" }, "a host has no direction"],
    [{ control: "all", direction: "in" }, "a control channel has no direction"],
  ])("is a direction beside %j", (spec, message) => {
    const { messages, key } = look(spec);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(message);
    expect(key).toBe("direction");
  });

  it("lists each neighbour once", () => {
    const { messages } = look({ link: ["tor0-0", "tor0-1"] });
    const peers = /is linked to (.*)$/.exec(messages[0]!)![1]!.split(", ");
    expect(new Set(peers).size).toBe(peers.length);
  });

  it("is one of several links between two nodes, with the ports to name one by", () => {
    const double = build({
      kind: "graph",
      nodes: [
        { name: "h", role: "host" },
        { name: "a", role: "switch" },
        { name: "b", role: "switch" },
      ],
      links: [
        { a: "h", b: "a" },
        { a: "a", b: "b" },
        { a: "a", b: "b" },
      ],
    });
    const { element, messages } = look({ link: ["a", "b"] }, 4, double);
    expect(element).toBeUndefined();
    expect(messages).toEqual([
      "P43033; 2 links between a and b; name one by its port: port: [a, N], N being one of 2, 3",
    ]);
    expect(look({ port: ["a", 3] }, 4, double)).toMatchObject({
      element: { kind: "link", index: 2, ways: "both" },
      messages: [],
    });
  });
});

describe("a list of names", () => {
  it("has at most twelve", () => {
    const names = Array.from({ length: 13 }, (_, i) => `n${i}`);
    expect(listed(names.slice(0, 12))).toBe(names.slice(0, 12).join(", "));
    expect(listed(names)).toBe(`${names.slice(0, 12).join(", ")}, ...`);
  });
});
