/** Faults on real switches against a testbed that writes down what it is told to do. */
import { describe, expect, it } from "vitest";
import type { Element, Fault } from "../../../../src/fabric/experiment/faults/fault.js";
import { type FaultyTestbed, TestbedFaults } from "../../../../src/fabric/experiment/faults/on-testbed.js";
import { nodeNamed } from "../../../../src/fabric/topology/index.js";
import { type Device, DeviceError, type Update } from "../../../../src/toolchain/device/index.js";
import { example } from "../../topology/load.js";
import { packets, silence } from "./silence.js";

const topology = example("clos");
const [tor, leaf] = [nodeNamed(topology, "tor0-0")!, nodeNamed(topology, "leaf0-1")!];
const up = tor.ports.find(({ peer }) => peer === leaf.index)!.link;
const link: Element = { kind: "link", index: up, ways: "both" };
const out: Element = { kind: "link", index: up, ways: "out" };
const node = (index: number): Element => ({ kind: "node", index });

/** `refuse`: the error of the next write, if there is one. */
function recordingTestbed(refuse: { error?: unknown } = {}) {
  const log: string[] = [];
  const text = ({ type, entity }: Update) =>
    `${type} ${entity.kind === "tableEntry" ? `${entity.table} ${entity.action?.kind === "action" ? entity.action.action : ""} of ${entity.match.length} fields` : ""}`;
  const testbed: FaultyTestbed = {
    device: (index) =>
      ({
        write: async (updates: readonly Update[]) => {
          if (refuse.error !== undefined) throw refuse.error;
          for (const update of updates) log.push(`${index}: ${text(update)}`);
        },
      }) as unknown as Device,
    setCarrier: async (index, isUp) => void log.push(`carrier ${index} ${isUp}`),
    setDelay: async (index, from, extra) => void log.push(`delay ${index} ${from} ${extra}`),
    kill: async (index) => void log.push(`kill ${index}`),
    restart: async (index, more) => void log.push(`restart ${index} with ${more.map(text).join("; ")}`),
  };
  /** What happened since the last call. */
  const since = () => log.splice(0);
  return { testbed, since };
}

function faultsOf(tables: ReadonlyMap<Fault, number> = new Map(), refuse: { error?: unknown } = {}) {
  const { testbed, since } = recordingTestbed(refuse);
  return { faults: new TestbedFaults(topology, testbed, tables), since };
}

const LOSE = "FabricEgress.faults FabricEgress.lose";

describe("faults of packets", () => {
  it("are entries in the table of the fault, which end with it", async () => {
    const silent = silence(out);
    const lossy = silence(out, { effect: packets({ loss: 0.5 }) });
    const { faults, since } = faultsOf(new Map([[lossy, 1]]));
    await faults.begin(silent);
    await faults.begin(lossy);
    expect(since()).toEqual([
      `${tor.index}: insert ${LOSE} of 1 fields`,
      `${tor.index}: insert FabricEgress.faults_2 FabricEgress.impair of 1 fields`,
    ]);
    await faults.end(silent);
    expect(since()).toEqual([`${tor.index}: delete ${LOSE} of 1 fields`]);
    await faults.endAll();
    expect(since()).toEqual([`${tor.index}: delete FabricEgress.faults_2 FabricEgress.impair of 1 fields`]);
  });

  it("of a delay alone are no entries: the kernel delays each direction by the sum of its active faults", async () => {
    const both = silence(link, { effect: packets({ delay: 300 }) });
    const one = silence(out, { effect: packets({ delay: 20 }) });
    const { faults, since } = faultsOf();
    await faults.begin(both);
    expect(since().sort()).toEqual([`delay ${up} a 300`, `delay ${up} b 300`]);
    await faults.begin(one);
    expect(since()).toEqual([`delay ${up} a 320`]);
    await faults.end(both);
    expect(since().sort()).toEqual([`delay ${up} a 20`, `delay ${up} b 0`]);
    await faults.end(one);
    expect(since()).toEqual([`delay ${up} a 0`]);
  });

  it("leave delays alone where they have none", async () => {
    const { faults, since } = faultsOf();
    await faults.begin(silence(link, { effect: packets({ delay: 300 }) }));
    since();
    await faults.begin(silence(out, { effect: packets({ loss: 0.1 }) }));
    expect(since()).toEqual([`${tor.index}: insert FabricEgress.faults FabricEgress.impair of 1 fields`]);
  });

  it("may have been deleted already, with a restarted switch", async () => {
    const refuse: { error?: unknown } = {};
    const { faults } = faultsOf(new Map(), refuse);
    const fault = silence(out);
    await faults.begin(fault);
    refuse.error = new DeviceError("NOT_FOUND", "there is no such entry");
    await faults.end(fault);
    refuse.error = new DeviceError("INTERNAL", "out of memory");
    await expect(faults.end(fault)).rejects.toThrow("out of memory");
    refuse.error = new DeviceError("NOT_FOUND", "there is no such table");
    await expect(faults.begin(fault)).rejects.toThrow("no such table");
    refuse.error = new Error("the connection broke");
    await expect(faults.end(fault)).rejects.toThrow("the connection broke");
  });
});

describe("carriers", () => {
  it("come back when the last fault of the link ends", async () => {
    const [first, second] = [
      silence(link, { effect: { kind: "down" } }),
      silence(link, { effect: { kind: "down" } }),
    ];
    const other = silence({ ...link, index: up + 1 }, { effect: { kind: "down" } });
    const { faults, since } = faultsOf();
    await faults.begin(first);
    await faults.begin(second);
    await faults.begin(other);
    expect(since()).toEqual([`carrier ${up} false`, `carrier ${up} false`, `carrier ${up + 1} false`]);
    await faults.end(first);
    expect(since()).toEqual([]);
    await faults.end(second);
    expect(since()).toEqual([`carrier ${up} true`]);
    await faults.end(other);
    expect(since()).toEqual([`carrier ${up + 1} true`]);
  });
});

describe("killed switches", () => {
  const kill = (index: number) => silence(node(index), { effect: { kind: "kill" } });

  it("get no writes, and with their restart the entries of the faults that act then", async () => {
    const dead = kill(tor.index);
    const ended = silence(out);
    const acting = silence(out, { effect: packets({ loss: 0.5 }) });
    const elsewhere = silence(node(leaf.index));
    const { faults, since } = faultsOf();
    await faults.begin(ended);
    since();
    await faults.begin(dead);
    await faults.begin(acting);
    await faults.end(ended);
    await faults.begin(elsewhere);
    expect(since()).toEqual([`kill ${tor.index}`, `${leaf.index}: insert ${LOSE} of 0 fields`]);
    await faults.end(dead);
    expect(since()).toEqual([
      `restart ${tor.index} with insert FabricEgress.faults FabricEgress.impair of 1 fields`,
    ]);
    // It runs: it takes writes again.
    await faults.end(acting);
    expect(since()).toEqual([`${tor.index}: delete FabricEgress.faults FabricEgress.impair of 1 fields`]);
  });

  it("stay dead until the last of their faults ends", async () => {
    const [first, second, other] = [kill(tor.index), kill(tor.index), kill(leaf.index)];
    const { faults, since } = faultsOf();
    for (const fault of [first, second, other]) await faults.begin(fault);
    since();
    await faults.end(first);
    expect(since()).toEqual([]);
    await faults.end(other);
    await faults.end(second);
    expect(since()).toEqual([`restart ${leaf.index} with `, `restart ${tor.index} with `]);
  });

  it("restart first when everything ends, then carriers, then entries", async () => {
    const { faults, since } = faultsOf();
    const silent = silence(out);
    await faults.begin(silent);
    await faults.begin(silence(link, { effect: { kind: "down" } }));
    await faults.begin(kill(tor.index));
    since();
    await faults.endAll();
    expect(since()).toEqual([
      `restart ${tor.index} with insert ${LOSE} of 1 fields`,
      `carrier ${up} true`,
      `${tor.index}: delete ${LOSE} of 1 fields`,
    ]);
    await faults.endAll();
    expect(since()).toEqual([]);
  });
});

describe("faults until they are ended", () => {
  /** A wait that the test lets go on, and the times that were asked for. */
  function steps() {
    const asked: number[] = [];
    let release: (() => void) | undefined;
    const wait = (ns: number) => {
      asked.push(ns);
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    };
    const next = async () => {
      release!();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { asked, wait, next };
  }

  it("flap: on for the duty, off for the rest of the period", async () => {
    const { faults, since } = faultsOf();
    const { asked, wait, next } = steps();
    const end = await faults.inject([silence(out, { flap: { period: 100, duty: 0.3 } })], wait);
    expect(since()).toEqual([`${tor.index}: insert ${LOSE} of 1 fields`]);
    await next();
    expect(since()).toEqual([`${tor.index}: delete ${LOSE} of 1 fields`]);
    await next();
    expect(since()).toEqual([`${tor.index}: insert ${LOSE} of 1 fields`]);
    expect(asked).toEqual([30, 70, 30]);
    const ended = end();
    await next();
    await ended;
    expect(since()).toEqual([`${tor.index}: delete ${LOSE} of 1 fields`]);
  });

  it("act all the time where they do not flap", async () => {
    const { faults, since } = faultsOf();
    const { asked, wait } = steps();
    const end = await faults.inject([silence(out), silence(node(leaf.index))], wait);
    expect(since()).toHaveLength(2);
    expect(asked).toEqual([]);
    await end();
    expect(since()).toHaveLength(2);
  });

  it("end with the error of a write that failed meanwhile", async () => {
    const refuse: { error?: unknown } = {};
    const { faults } = faultsOf(new Map(), refuse);
    const { wait, next } = steps();
    const end = await faults.inject([silence(out, { flap: { period: 100, duty: 0.5 } })], wait);
    refuse.error = new Error("the switch has gone");
    await next();
    await expect(end()).rejects.toThrow("the switch has gone");
  });
});
