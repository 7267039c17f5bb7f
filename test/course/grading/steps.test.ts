/** Steps with packets, on a network that does what the test says. */
import { describe, expect, it } from "vitest";
import {
  buildFrame,
  type ExerciseHost,
  type ExerciseStep,
  senderOf,
  trafficStack,
} from "../../../src/course/exercises/index.js";
import type { TestNetwork } from "../../../src/course/grading/network.js";
import { playPing } from "../../../src/course/grading/steps/packet.js";
import { playTraffic } from "../../../src/course/grading/steps/traffic.js";

type Traffic = Extract<ExerciseStep, { kind: "traffic" }>;

const hosts: ExerciseHost[] = [1n, 2n].map((n) => ({
  ...{ name: `h${n}`, ipv4: 0x0a000000n + n, prefixLength: 24, mac: n, commands: [] },
}));

const ENDS = { from: hosts[0]!.ipv4, to: hosts[1]!.ipv4 };

const step: Traffic = {
  ...{ kind: "traffic", from: "h1", to: "h2", protocol: "udp", flows: 2, vary: "source_port", packets: 3 },
  ...{ gapNs: 10, bytes: 100 },
  ...{
    sourcePort: 1000,
    port: 80,
    dscp: 0,
    ecn: 0,
    marked: undefined,
    withinNs: 1000,
    ports: [],
    pause: undefined,
    span: undefined,
  },
  ...{ received: undefined, split: undefined, inOrder: true },
};

/** Plays the step; these numbers of flow and packet arrive. Returns the times at which packets were scheduled. */
async function playArrivals(
  own: Traffic,
  arrivals: readonly (readonly [flow: number, number: number])[],
): Promise<readonly number[]> {
  const times: number[] = [];
  const received = arrivals.map(([flow, number]) => ({
    timeNs: 0,
    frame: buildFrame(trafficStack(own, ENDS, flow, number), senderOf(hosts[0]!, hosts)),
  }));
  const host = (name: string) => ({ name, received: name === "h2" ? received : [], forget() {}, send() {} });
  await playTraffic(
    own,
    {
      hosts: new Map(["h1", "h2"].map((name) => [name, host(name)])),
      now: () => 0,
      at: (time: number) => void times.push(time),
      sent: async () => new Map(),
      advance: async () => {},
    } as unknown as TestNetwork,
    hosts,
  );
  return times;
}

describe("traffic", () => {
  it("is in order also where a packet arrives twice in sequence, and flows mix", async () => {
    await playArrivals(step, [
      [0, 0],
      [1, 0],
      [0, 1],
      [0, 1],
      [0, 2],
      [1, 1],
    ]);
    await expect(
      playArrivals(step, [
        [0, 1],
        [0, 0],
      ]),
    ).rejects.toThrow(/packet 0 arrives after packet 1/);
  });

  it("counts the packets that arrive with the mark of congestion", async () => {
    const numbers = [
      [0, 0],
      [1, 0],
    ] as const;
    for (const ecn of [0, 1, 2])
      await expect(
        playArrivals({ ...step, ecn, marked: { low: 1, high: 2, percent: false } }, numbers),
      ).rejects.toThrow(/1\.\.2 packets arrive at h2 with the mark of congestion/);
    await playArrivals({ ...step, ecn: 3, marked: { low: 2, high: 2, percent: false } }, numbers);
  });

  it("pauses after the given number of packets of each flow, not before", async () => {
    const times = await playArrivals({ ...step, packets: 5, pause: { after: 2, ns: 1000 } }, []);
    expect(times).toEqual([0, 10, 20, 30, 1040, 1050, 1060, 1070, 2080, 2090]);
  });
});

describe("pings", () => {
  const play = async (answers: number, low: number, high: number): Promise<number> => {
    let replies = 0;
    const advance = async (_ns: number, done?: () => boolean) => {
      while (replies < answers && !done?.()) replies++;
    };
    const network = { hosts: new Map([["h1", { ping: () => () => replies }]]), patienceNs: 0, advance };
    const ping = {
      kind: "ping",
      from: "h1",
      to: "h2",
      count: 5,
      ttl: 64,
      answered: { low, high, percent: false },
    };
    await playPing(ping as Parameters<typeof playPing>[0], network as unknown as TestNetwork, 2n);
    return replies;
  };

  it("wait for all answers: more than are allowed fail", async () => {
    expect(await play(2, 1, 3)).toBe(2);
    expect(await play(5, 1, 5)).toBe(5);
    await expect(play(5, 1, 3)).rejects.toThrow(/1\.\.3 of 5 pings/);
    await expect(play(1, 0, 0)).rejects.toThrow();
  });
});
