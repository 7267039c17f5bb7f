/** The load of a testbed, from what the kernel prints and from measurements. */
import { describe, expect, it } from "vitest";
import { loadBetween, type TestbedUsage } from "../../../../src/fabric/testbed/index.js";
import { machineTimes, packetSocketDrops, processNs } from "../../../../src/fabric/testbed/usage/usage.js";

describe("what the kernel prints", () => {
  it("reads the processor time of a process whose name has spaces and parentheses", () => {
    const stat = `42 (a ) b) S ${Array.from({ length: 40 }, (_, i) => i + 4).join(" ")}`;
    expect(processNs(stat)).toBe((14 + 15 + 16 + 17) * 1e7);
  });

  it("reads the times of the machine, with and without PSI", () => {
    const stat = "cpu  1 2 3 40 5 6 7 8 0 0\ncpu0 1 2 3 40 5 6 7 8 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 9\n";
    const times = { processors: 2, busyNs: 27e7, idleNs: 45e7 };
    expect(machineTimes(stat, undefined)).toEqual({ ...times, waitingNs: undefined });
    const pressure = "some avg10=1.00 avg60=0.00 avg300=0.00 total=304\nfull avg10=0.00 total=7\n";
    expect(machineTimes(stat, pressure)).toEqual({ ...times, waitingNs: 304_000 });
  });

  it("reads drops of packet sockets, and adds up those of one interface", () => {
    const line = (at: string, drops: number) =>
      `p_raw UNCONN 0 0 ${at} *     users:(("node",pid=7,fd=3)) skmem:(r0,rb8192,t0,tb212992,f0,w0,o0,bl0,d${drops})\n`;
    const text = `Netid State Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n${line("*:s1-eth1", 150)}${line("ip:s1-eth1", 2)}${line("*:s1-eth2", 0)}`;
    expect([...packetSocketDrops(text)]).toEqual([
      ["s1-eth1", 152],
      ["s1-eth2", 0],
    ]);
  });
});

describe("the load between two measurements", () => {
  const usage = (
    seconds: number,
    [busy, idle, waiting]: readonly [number, number, number | undefined],
    processes: ReadonlyMap<number, number>,
    unreadFrames: number | undefined,
  ): TestbedUsage => ({
    atNs: seconds * 1e9,
    machine: {
      processors: 2,
      busyNs: busy * 1e9,
      idleNs: idle * 1e9,
      waitingNs: waiting === undefined ? undefined : waiting * 1e9,
    },
    switches: new Map([["s1", { processes, unreadFrames }]]),
    hosts: new Map([["h1", { processes }]]),
  });

  it("is in shares of the interval", () => {
    const before = usage(10, [100, 50, 3], new Map([[7, 1e9]]), 4);
    const after = usage(14, [106, 52, 4], new Map([[7, 3e9]]), 10);
    const load = loadBetween(before, after);
    expect(load).toMatchObject({ seconds: 4, processors: 2, machine: 0.75, waiting: 0.25 });
    expect(load.switches.get("s1")).toEqual({ processor: 0.5, unreadFrames: 6 });
    expect(load.hosts.get("h1")).toEqual({ processor: 0.5 });
  });

  it("counts a restarted switch from its start", () => {
    const before = usage(10, [100, 50, undefined], new Map([[7, 9e9]]), 400);
    const after = usage(11, [100, 52, undefined], new Map([[8, 5e8]]), 3);
    const load = loadBetween(before, after);
    expect(load).toMatchObject({ machine: 0, waiting: undefined });
    expect(load.switches.get("s1")).toEqual({ processor: 0.5, unreadFrames: 3 });
  });

  it("knows no losses of a switch that does not report them, and divides by no empty interval", () => {
    const same = usage(10, [100, 50, 1], new Map(), undefined);
    expect(loadBetween(same, same)).toMatchObject({ seconds: 0, machine: 0, waiting: 0 });
    expect(loadBetween(same, same).switches.get("s1")).toEqual({ processor: 0, unreadFrames: undefined });
  });
});
