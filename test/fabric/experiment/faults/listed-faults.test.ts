/** The list of faults of a file: what it means, when faults begin and end, and every mistake at its place. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { effectName, elementName, transitionsOf } from "../../../../src/fabric/experiment/faults/fault.js";
import { loadTimeline } from "../../../../src/fabric/experiment/index.js";
import { packets, silence } from "./silence.js";

const HEAD = `name: faults
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
schemes: [none]
flows: [{ from: host0-0-0, to: host0-1-0 }]
duration: 10s
`;

function read(...faults: string[]) {
  const diagnostics = new Diagnostics();
  const text = `${HEAD}faults:\n${faults.map((fault) => `  - { ${fault} }\n`).join("")}`;
  const timeline = loadTimeline(new SourceFile("f.yaml", text), diagnostics);
  return { timeline, messages: diagnostics.list.map((one) => formatDiagnostic(one).split("\n")[0]!) };
}

function faultsOf(...list: string[]) {
  const { timeline, messages } = read(...list);
  expect(messages).toEqual([]);
  return timeline!;
}

const LINK = "link: [tor0-0, leaf0-0]";

describe("elements", () => {
  const nameOf = (element: string) => {
    const { faults, topology } = faultsOf(`at: 1s, loss: 10%, ${element}`);
    return elementName(topology, faults[0]!.element);
  };

  it.each([
    [LINK, "tor0-0 - leaf0-0"],
    ["link: [leaf0-0, tor0-0]", "tor0-0 - leaf0-0"],
    [`${LINK}, direction: out`, "tor0-0 > leaf0-0"],
    [`${LINK}, direction: in`, "leaf0-0 > tor0-0"],
    ["link: [leaf0-0, tor0-0], direction: out", "leaf0-0 > tor0-0"],
    ["port: [leaf0-0, 2]", "tor0-1 - leaf0-0"],
    ["port: [leaf0-0, 2], direction: out", "leaf0-0 > tor0-1"],
    ["switch: leaf0-1", "leaf0-1"],
    ["host: host0-0-0", "host0-0-0"],
  ])("%s is %s", (element, name) => {
    expect(nameOf(element)).toBe(name);
  });
});

describe("effects", () => {
  it("combine loss, corruption and delay, of packets of a match", () => {
    const { faults } = faultsOf(
      `at: 1s, until: 2s, ${LINK}, loss: 10%, corruption: 0.5, delay: 1ms, flap: { period: 100ms, duty: 20% },
         match: { src: host0-0-0, dst: 10.0.0.0/8, protocol: tcp, dst_port: 80, max_bytes: 100 }`,
    );
    const [fault] = faults;
    expect(fault).toMatchObject({
      effect: packets({ loss: 0.1, corruption: 0.5, delay: 1e6 }),
      at: 1e9,
      until: 2e9,
      flap: { period: 1e8, duty: 0.2 },
      match: {
        dst: { ipVersion: 4, address: 0x0a000000n, length: 8 },
        protocol: 6,
        dstPort: 80,
        maxBytes: 100,
      },
    });
    expect(fault!.match!.src).toMatchObject({ ipVersion: 4, length: 32 });
    expect(effectName(fault!)).toBe("10% loss 50% corruption 1000us delay of some packets flapping");
  });

  it("end by the words of earlier files, all that are open on the element at once", () => {
    const { faults } = faultsOf(
      `at: 1s, kind: silent, switch: leaf0-0`,
      `at: 2s, corruption: 5%, switch: leaf0-0`,
      `at: 1s, until: 9s, delay: 1ms, switch: leaf0-0`,
      `at: 3s, kind: repair, switch: leaf0-0`,
      `at: 4s, kind: kill, switch: leaf0-0`,
      `at: 5s, kind: restart, switch: leaf0-0`,
      `at: 6s, kind: down, ${LINK}`,
    );
    expect(faults.map(({ number, at, until }) => [number, at / 1e9, (until ?? 0) / 1e9])).toEqual([
      [0, 1, 3],
      [1, 2, 3],
      [2, 1, 9],
      [4, 4, 5],
      [6, 6, 0],
    ]);
  });

  it("may be several at once on one element, as far as they do different things", () => {
    const { faults } = faultsOf(
      `at: 1s, ${LINK}, loss: 10%`,
      `at: 1s, ${LINK}, corruption: 10%`,
      `at: 1s, ${LINK}, loss: 50%, match: { dst_port: 80 }`,
      `at: 1s, ${LINK}, loss: 50%, direction: out`,
      `at: 1s, ${LINK}, kind: down`,
    );
    expect(faults).toHaveLength(5);
  });
});

describe("times", () => {
  const link = { kind: "link", index: 0, ways: "both" } as const;
  const times = (...faults: ReturnType<typeof silence>[]) =>
    transitionsOf(faults, 100).map(({ at, fault, begins }) => `${at} ${begins ? "+" : "-"}${fault.number}`);

  it("come in order, ends first at one time, and stop at the end", () => {
    const first = silence(link, { number: 0, at: 10, until: 50 });
    const second = silence(link, { number: 1, at: 50, until: 200 });
    const third = silence(link, { number: 2, at: 5 });
    expect(times(first, second, third)).toEqual(["5 +2", "10 +0", "50 -0", "50 +1"]);
  });

  it("repeat for a fault that flaps, on at the beginning of each period", () => {
    const flap = { period: 20, duty: 0.25 };
    expect(times(silence(link, { at: 10, until: 55, flap }))).toEqual([
      "10 +0",
      "15 -0",
      "30 +0",
      "35 -0",
      "50 +0",
      "55 -0",
    ]);
    // A period that is cut off ends with the fault.
    expect(times(silence(link, { at: 10, until: 32, flap })).at(-1)).toBe("32 -0");
    expect(times(silence(link, { at: 90, flap: { period: 20, duty: 0.9 } }))).toEqual(["90 +0"]);
    expect(times(silence(link, { at: 90, until: 95, flap: { period: 4, duty: 0.001 } }))).toEqual([
      "90 +0",
      "91 -0",
      "94 +0",
      "95 -0",
    ]);
  });
});

describe("mistakes", () => {
  it.each([
    ["a misspelt switch", ["at: 1s, loss: 1%, switch: leaf0-7"], "P43014", 'did you mean "leaf0-0"?'],
    ["a misspelt host", ["at: 1s, loss: 1%, host: host0-0-x"], "P43014", 'did you mean "host0-0-0"?'],
    [
      "a misspelt end of a link",
      ["at: 1s, loss: 1%, link: [tor0-0, lef0-0]"],
      "P43014",
      'did you mean "leaf0-0"?',
    ],
    ["two nodes without a link", ["at: 1s, loss: 1%, link: [tor0-0, tor0-1]"], "P43014", "no link between"],
    ["a port that is not there", ["at: 1s, loss: 1%, port: [leaf0-0, 9]"], "P43014", "leaf0-0 has no port 9"],
    [
      "two elements",
      [`at: 1s, loss: 1%, switch: leaf0-0, ${LINK}`],
      "P43031",
      "a fault of a link and a switch",
    ],
    [
      "a direction of a switch",
      ["at: 1s, loss: 1%, switch: leaf0-0, direction: in"],
      "P43032",
      "has no direction",
    ],
    ["a share above 1", [`at: 1s, loss: 101%, ${LINK}`], "P43004", 'such as 0.1 or 10%, got "101%"'],
    ["a share below 0", [`at: 1s, loss: -0.1, ${LINK}`], "P43004", "a share from 0 to 1"],
    ["no effect at all", [`at: 1s, loss: 0, ${LINK}`], "P43029", "a fault of 0 % has no effect"],
    ["a kind and an effect", [`at: 1s, kind: silent, loss: 1%, ${LINK}`], "P43037", "contradict each other"],
    [
      "an end before the beginning",
      [`at: 2s, until: 1s, loss: 1%, ${LINK}`],
      "P43028",
      "until, 1000 ms, is not after at",
    ],
    [
      "an end at the beginning",
      [`at: 2s, until: 2s, loss: 1%, ${LINK}`],
      "P43028",
      "is not after at, 2000 ms",
    ],
    ["a period of 0", [`at: 1s, loss: 1%, ${LINK}, flap: { period: 0s }`], "P43035", "the period is 0 ns"],
    ["a duty of 1", [`at: 1s, loss: 1%, ${LINK}, flap: { period: 1s, duty: 1 }`], "P43035", "would not flap"],
    [
      "a duty of 0",
      [`at: 1s, loss: 1%, ${LINK}, flap: { period: 1s, duty: 0% }`],
      "P43035",
      "would never act",
    ],
    [
      "more flaps than anyone needs",
      [`at: 1s, loss: 1%, ${LINK}, flap: { period: 10us }`],
      "P43036",
      "more than 100000",
    ],
    [
      "a kill that flaps",
      ["at: 1s, kind: kill, switch: leaf0-0, flap: { period: 1s }"],
      "P43037",
      "kind: kill has no flap",
    ],
    [
      "packets of a carrier",
      [`at: 1s, kind: down, ${LINK}, match: { dst_port: 1 }`],
      "P43037",
      "has no match",
    ],
    [
      "an end that ends",
      [`at: 1s, kind: silent, ${LINK}`, `at: 2s, until: 3s, kind: repair, ${LINK}`],
      "P43037",
      "kind: repair has no until",
    ],
    [
      "an unknown host in a match",
      [`at: 1s, loss: 1%, ${LINK}, match: { src: hots0-0-0 }`],
      "P43014",
      'did you mean "host0-0-0"?',
    ],
    [
      "a prefix with other bits",
      [`at: 1s, loss: 1%, ${LINK}, match: { src: 10.0.0.1/8 }`],
      "P43034",
      "bits beyond its first 8",
    ],
    [
      "a prefix that is too long",
      [`at: 1s, loss: 1%, ${LINK}, match: { src: 10.0.0.0/33 }`],
      "P43034",
      "no length of a prefix",
    ],
    [
      "an address that is none",
      [`at: 1s, loss: 1%, ${LINK}, match: { src: 10.0.0.256 }`],
      "P43034",
      "10.0.0.256",
    ],
    [
      "the other version",
      [`at: 1s, loss: 1%, ${LINK}, match: { src: "fd00::1" }`],
      "P43034",
      "traffic.ip is 4",
    ],
    [
      "ports without ports",
      [`at: 1s, loss: 1%, ${LINK}, match: { protocol: icmp, dst_port: 1 }`],
      "P43034",
      "have no ports",
    ],
    [
      "sizes the wrong way round",
      [`at: 1s, loss: 1%, ${LINK}, match: { min_bytes: 9, max_bytes: 8 }`],
      "P43034",
      "no packet matches",
    ],
    [
      "loss twice at one time",
      [`at: 1s, loss: 1%, ${LINK}`, `at: 3s, loss: 2%, ${LINK}`],
      "P43015",
      "has a loss of the same packets already",
    ],
    [
      "silence twice at one time",
      [`at: 1s, kind: silent, ${LINK}`, `at: 3s, loss: 2%, ${LINK}`],
      "P43015",
      "is silent already",
    ],
    [
      "a repair of what ends by itself",
      [`at: 1s, until: 2s, loss: 1%, ${LINK}`, `at: 3s, kind: repair, ${LINK}`],
      "P43015",
      "is not silent then",
    ],
  ])("%s", (_, list, code, words) => {
    const { timeline, messages } = read(...list);
    expect(timeline).toBeUndefined();
    expect(messages, messages.join("\n")).toHaveLength(1);
    expect(messages[0]).toMatch(/^f\.yaml:\d+:\d+: /);
    expect(messages[0]).toContain(`error[${code}]`);
    expect(messages[0]).toContain(words);
  });
});
