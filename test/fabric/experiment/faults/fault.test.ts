/** Names, directions and times of faults; the times against a second model that samples them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALL_CHANNELS,
  directionsOf,
  type Effect,
  type Element,
  effectName,
  elementName,
  endName,
  type Fault,
  isCut,
  SILENCE,
  transitionsOf,
} from "../../../../src/fabric/experiment/faults/fault.js";
import { nodeNamed } from "../../../../src/fabric/topology/index.js";
import { example } from "../../topology/load.js";
import { packets, silence } from "./silence.js";

const topology = example("clos");
const [tor, leaf] = [nodeNamed(topology, "tor0-0")!, nodeNamed(topology, "leaf0-1")!];
const up = tor.ports.find(({ peer }) => peer === leaf.index)!.link;
const host =
  topology.nodes[tor.ports.map(({ peer }) => peer).find((peer) => topology.nodes[peer]!.role === "host")!]!;
const { a, b } = topology.links[up]!;
const [first, second] = [a, b].map(({ node }) => topology.nodes[node]!.name);

const kill: Effect = { kind: "kill" };
const down: Effect = { kind: "down" };
const match = { protocol: 6 };

describe("the directions of an element", () => {
  const of = (element: Element) => directionsOf(topology, element).map(({ link, from }) => `${link}${from}`);

  it("of a link are both, or the named one", () => {
    expect(of({ kind: "link", index: up, ways: "both" })).toEqual([`${up}a`, `${up}b`]);
    expect(of({ kind: "link", index: up, ways: "out" })).toEqual([`${up}a`]);
    expect(of({ kind: "link", index: up, ways: "in" })).toEqual([`${up}b`]);
  });

  it("of a switch are those that it sends, of a host both", () => {
    const ends = (node: typeof tor, wanted: (own: boolean) => boolean) =>
      node.ports
        .flatMap(({ link }) =>
          (["a", "b"] as const)
            .filter((end) => wanted(topology.links[link]![end].node === node.index))
            .map((end) => `${link}${end}`),
        )
        .sort();
    expect(of({ kind: "node", index: tor.index }).sort()).toEqual(ends(tor, (own) => own));
    expect(of({ kind: "node", index: leaf.index }).sort()).toEqual(ends(leaf, (own) => own));
    expect(of({ kind: "node", index: host.index }).sort()).toEqual(ends(host, () => true));
  });

  it("of channels and flows are none", () => {
    expect(of({ kind: "control", index: tor.index })).toEqual([]);
    expect(of({ kind: "flow", index: 0, ways: "out" })).toEqual([]);
  });
});

describe("names", () => {
  it.each<[Element, string]>([
    [{ kind: "node", index: tor.index }, "tor0-0"],
    [{ kind: "link", index: up, ways: "both" }, `${first} - ${second}`],
    [{ kind: "link", index: up, ways: "out" }, `${first} > ${second}`],
    [{ kind: "link", index: up, ways: "in" }, `${second} > ${first}`],
    [{ kind: "control", index: tor.index }, "the control channel of tor0-0"],
    [{ kind: "control", index: ALL_CHANNELS }, "all control channels"],
    [{ kind: "flow", index: 3, ways: "out" }, "flow 3"],
    [{ kind: "flow", index: 3, ways: "in" }, "flow 3, back"],
  ])("of the element %j", (element, name) => {
    expect(elementName(topology, element)).toBe(name);
  });

  const flap = { period: 10, duty: 0.5 };
  it.each<[Partial<Fault>, string, string, boolean]>([
    [{}, "silent", "repair", true],
    [{ match }, "100% loss of some packets", "repair", false],
    [{ effect: packets({ loss: 0.1 }) }, "10% loss", "repair", false],
    [
      { effect: packets({ loss: 1 / 3, corruption: 0.005 }) },
      "33.3333% loss 0.5% corruption",
      "repair",
      false,
    ],
    [{ effect: packets({ delay: 1500 }) }, "1.5us delay", "repair", false],
    [{ effect: { ...packets({}), rate: 0.25 } }, "25% rate", "repair", false],
    [{ effect: down }, "down", "up", true],
    [{ effect: kill, flap }, "kill flapping", "restart", true],
    [{ effect: kill, match }, "kill of some packets", "restart", true],
    [
      { effect: { kind: "drop", numbers: [9], counted: "data" } },
      "drop of packet 9 with data",
      "end of the drops",
      false,
    ],
    [
      { effect: { kind: "drop", numbers: [1, 4], counted: "all" } },
      "drop of packets 1, 4",
      "end of the drops",
      false,
    ],
  ])("of the effect %j", (other, name, end, cut) => {
    const fault = silence({ kind: "node", index: 0 }, other);
    expect(effectName(fault)).toBe(name);
    expect(endName(fault)).toBe(end);
    expect(isCut(fault)).toBe(cut);
  });
});

describe("the times of faults", () => {
  const element: Element = { kind: "node", index: 0 };
  const times = (faults: readonly Fault[], duration: number) =>
    transitionsOf(faults, duration).map(
      ({ at, fault, begins }) => `${at} ${begins ? "+" : "-"}${fault.number}`,
    );

  it("are in order; at one time ends come first, then the order of the list", () => {
    const faults = [
      silence(element, { number: 0, at: 30 }),
      silence(element, { number: 1, at: 10, until: 30 }),
      silence(element, { number: 2, at: 30, until: 40 }),
      silence(element, { number: 3, at: 10, until: 30 }),
    ];
    expect(times(faults, 100)).toEqual(["10 +1", "10 +3", "30 -1", "30 -3", "30 +0", "30 +2", "40 -2"]);
  });

  it("end before the run does", () => {
    expect(times([silence(element, { at: 50 })], 50)).toEqual([]);
    expect(times([silence(element, { at: 49, until: 50 })], 50)).toEqual(["49 +0"]);
    expect(times([silence(element, { at: 49, until: 50 })], Number.POSITIVE_INFINITY)).toEqual([
      "49 +0",
      "50 -0",
    ]);
  });

  it("act by what a fault says, whenever one looks", () => {
    const flap = fc.record({
      period: fc.integer({ min: 4, max: 60 }),
      duty: fc.constantFrom(0.25, 0.5, 0.75),
    });
    const drawn = fc.record({
      at: fc.integer({ min: 0, max: 90 }),
      lasts: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
      flap: fc.option(flap, { nil: undefined }),
    });
    fc.assert(
      fc.property(drawn, fc.integer({ min: 1, max: 200 }), ({ at, lasts, flap: own }, duration) => {
        const until = lasts === undefined ? undefined : at + lasts;
        const fault = silence(element, { at, until, flap: own });
        const changes = transitionsOf([fault], duration);
        for (let time = 0; time < duration; time++) {
          const last = changes.findLast((one) => one.at <= time);
          const inside = time >= at && time < (until ?? Number.POSITIVE_INFINITY);
          const isOn =
            own === undefined || (time - at) % own.period < Math.max(1, Math.round(own.duty * own.period));
          expect([time, last?.begins ?? false]).toEqual([time, inside && isOn]);
        }
        expect(changes.every((one, i) => one.at < duration && one.begins === (i % 2 === 0))).toBe(true);
      }),
    );
  });
});

it("silence is the loss of every packet", () => {
  expect(SILENCE).toEqual({ kind: "packets", loss: 1, corruption: 0, delay: 0 });
});
