/** The control channel while the process of the switch ends and runs again. The delay is 100 ns. */
import { beforeEach, describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { queryBytes } from "../../../../src/fabric/sim/packet/control-messages.js";
import {
  type ChannelState,
  type ControlAct,
  ControlChannel,
  entityBytes,
  MESSAGE_BYTES,
  type PortSource,
  Simulation,
} from "../../../../src/fabric/sim/packet/index.js";
import type {
  Device,
  DeviceEvent,
  Entity,
  ReadQuery,
  Update,
} from "../../../../src/toolchain/device/index.js";

const DELAY = 100;
const PROCESSING = 40;
const update: Update = { type: "insert", entity: { kind: "register", register: "r", index: 0, value: 1n } };
const packetIn: DeviceEvent = {
  kind: "packetIn",
  packet: { payload: new Uint8Array(1), metadata: {} },
} as never;

let simulation: Simulation;
let log: string[];
let channel: ControlChannel;
let tell: (event: DeviceEvent) => void;
/** Resolves the switch's answers to `read`, which it may keep. */
let answerReads: () => void;
let ports: { downPorts: Set<number>; report: (() => void) | undefined };
const note = (text: string) => log.push(`${simulation.now} ${text}`);

beforeEach(() => {
  simulation = new Simulation({ turn: () => new Promise<void>((resolve) => setImmediate(resolve)) });
  log = [];
  const listeners = new Set<(event: DeviceEvent) => void>();
  tell = (event) => {
    for (const listener of listeners) listener(event);
  };
  const kept: (() => void)[] = [];
  answerReads = () => {
    for (const answer of kept.splice(0)) answer();
  };
  const device: Device = {
    name: "s1",
    program: undefined,
    load: async () => void note("loads"),
    verify: async () => void note("verifies"),
    write: async () => void note("writes"),
    read: () => {
      note("reads");
      return new Promise<Entity[]>((resolve) => kept.push(() => resolve([])));
    },
    packetOut: async () => void note("sends"),
    acknowledgeDigest: async () => void note("acknowledges"),
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {},
  };
  ports = { downPorts: new Set(), report: undefined };
  const source: PortSource = {
    get downPorts() {
      return ports.downPorts;
    },
    watchPorts: (report) => {
      ports.report = report;
      return () => {
        ports.report = undefined;
      };
    },
  };
  channel = new ControlChannel(simulation, device, { delay: DELAY, processing: PROCESSING }, source);
});

/** Asks at a time, and notes the outcome with its time. */
const ask = (time: number, name: string, request: () => Promise<unknown>) =>
  simulation.at(time, () => {
    simulation.letPromisesRun();
    request().then(
      () => note(`${name} answered`),
      (error) => note(`${name} ${error.code}: ${error.message}`),
    );
  });
const write = () => channel.write([update]);
const run = () => simulation.runAsync(10_000);
const GONE = "UNAVAILABLE: switch s1 is not running";

describe("when the process of the switch ends", () => {
  it("open requests are refused one delay later, and new ones at once until a delay after the next start", async () => {
    ask(950, "in flight", write);
    simulation.at(1000, () => channel.disconnect());
    ask(1050, "before the notice", write);
    ask(1200, "after the notice", write);
    simulation.at(2000, () => channel.connect());
    ask(2050, "before the second notice", write);
    ask(2101, "after the second notice", write);
    await run();
    expect(log).toEqual([
      `1100 in flight ${GONE}`,
      `1100 before the notice ${GONE}`,
      `1200 after the notice ${GONE}`,
      `2050 before the second notice ${GONE}`,
      "2241 writes",
      "2341 after the second notice answered",
    ]);
  });

  it("what it has received and not finished is not carried out, by the next process neither", async () => {
    // Two requests arrive at 1000; the first is finished at 1040, and its answer arrives.
    ask(900, "first", write);
    ask(900, "second", write);
    ask(980, "third", write);
    simulation.at(1050, () => channel.disconnect());
    simulation.at(1055, () => channel.connect());
    await run();
    expect(log).toEqual(["1040 writes", "1140 first answered", `1150 second ${GONE}`, `1150 third ${GONE}`]);
  });

  it("the next process starts with no work of the one before", async () => {
    for (let i = 0; i < 5; i++) ask(0, `request ${i}`, write);
    simulation.at(101, () => channel.disconnect());
    simulation.at(102, () => channel.connect());
    ask(300, "late", write);
    await run();
    expect(log.slice(-2)).toEqual(["440 writes", "540 late answered"]);
  });

  it("a process that has ended gives no answers, to requests of its own time neither", async () => {
    ask(0, "read", () => channel.read([]));
    simulation.at(200, () => channel.disconnect());
    simulation.at(250, () => {
      simulation.letPromisesRun();
      answerReads();
    });
    simulation.at(260, () => channel.connect());
    await run();
    // A read without queries takes no processing time.
    expect(log).toEqual(["100 reads", `300 read ${GONE}`]);
  });

  it("it ends once, and starts once", async () => {
    const states: string[] = [];
    simulation.at(0, () => channel.watchState(({ running }) => states.push(`${simulation.now} ${running}`)));
    for (const time of [1000, 1010]) simulation.at(time, () => channel.disconnect());
    for (const time of [2000, 2010]) simulation.at(time, () => channel.connect());
    await run();
    expect(states).toEqual(["200 true", "1100 false", "2100 true", "2300 true"]);
  });

  it("its events are lost, and those before it arrive", async () => {
    const acts: ControlAct["kind"][] = [];
    channel.observer = ({ kind }) => acts.push(kind);
    channel.watch(() => note("event"));
    for (const time of [950, 1050, 2050]) simulation.at(time, () => tell(packetIn));
    simulation.at(1000, () => channel.disconnect());
    simulation.at(2000, () => channel.connect());
    await run();
    expect(log).toEqual(["1050 event", "2150 event"]);
    expect(acts).toEqual(["event", "event"]);
  });
});

describe("the state of the switch", () => {
  const watch = (time: number) => {
    const stop = { now: () => {} };
    simulation.at(time, () => {
      stop.now = channel.watchState(({ running, downPorts }: ChannelState) =>
        note(`${running ? "runs" : "gone"} ${[...downPorts].join()}`),
      );
    });
    return stop;
  };
  const setPorts = (time: number, ...down: number[]) =>
    simulation.at(time, () => {
      ports.downPorts = new Set(down);
      ports.report?.();
    });

  it("comes a round trip after the question, then a delay after each change, with the ports of the time of the report", async () => {
    watch(0);
    setPorts(50, 3);
    setPorts(500, 3, 4);
    setPorts(550);
    await run();
    expect(log).toEqual(["200 runs 3", "600 runs 3,4", "650 runs "]);
  });

  it("keeps the last ports while the process does not run, and asks for them again when it does", async () => {
    watch(0);
    setPorts(500, 2);
    simulation.at(1000, () => channel.disconnect());
    setPorts(1500, 2, 5);
    simulation.at(2000, () => channel.connect());
    setPorts(3000);
    await run();
    expect(log).toEqual([
      "200 runs ",
      "600 runs 2",
      "1100 gone 2",
      "2100 runs 2",
      "2300 runs 2,5",
      "3100 runs ",
    ]);
  });

  it("comes at once where it is known that the process does not run", async () => {
    simulation.at(0, () => channel.disconnect());
    watch(500);
    simulation.at(1000, () => channel.connect());
    await run();
    expect(log).toEqual(["500 gone ", "1100 runs ", "1300 runs "]);
  });

  it("does not come after the end of the watch: reports in flight, changes of ports and of the process", async () => {
    const stop = watch(0);
    setPorts(500, 1);
    simulation.at(550, () => stop.now());
    setPorts(700, 2);
    simulation.at(1000, () => channel.disconnect());
    simulation.at(2000, () => channel.connect());
    await run();
    expect(log).toEqual(["200 runs "]);
    expect(ports.report).toBeUndefined();
  });

  it("is not asked for by a watch that has ended before its question arrives", async () => {
    const stop = watch(0);
    simulation.at(50, () => stop.now());
    await run();
    expect(log).toEqual([]);
    expect(ports.report).toBeUndefined();
  });
});

describe("a fault of the channel", () => {
  it("delays requests, answers and events that are sent while it lasts, and no others", async () => {
    const fault = { loss: 0, delay: 30, random: new Random(1) };
    channel.watch(() => note("event"));
    simulation.at(0, () => channel.beginFault(fault));
    ask(0, "write", write);
    simulation.at(10, () => tell(packetIn));
    simulation.at(500, () => channel.endFault(fault));
    ask(1000, "write", write);
    simulation.at(1010, () => tell(packetIn));
    await run();
    expect(log).toEqual([
      ...["140 event", "170 writes", "300 write answered"],
      ...["1110 event", "1140 writes", "1240 write answered"],
    ]);
  });
});

describe("a read", () => {
  it("takes the time of the bytes of its queries and of the entities of the answer, and of each query at the switch", async () => {
    const queries: ReadQuery[] = [1, 2].map((index) => ({ kind: "register", register: "r", index }));
    const device: Device = {
      ...plainDevice(),
      read: async () => [update.entity, update.entity, update.entity],
    };
    // A byte takes a nanosecond.
    const own = new ControlChannel(simulation, device, { delay: DELAY, processing: PROCESSING, rate: 8e9 });
    expect(own.program).toBe(device.program);
    ask(0, "read", () => own.read(queries));
    await run();
    const there = MESSAGE_BYTES + queries.reduce((sum, query) => sum + queryBytes(query), 0);
    const back = MESSAGE_BYTES + 3 * entityBytes(update.entity);
    expect(log).toEqual([`${2 * DELAY + there + back + 2 * PROCESSING} read answered`]);
  });
});

/** A device that takes everything. */
function plainDevice(): Device {
  return {
    name: "s2",
    program: { p4info: "a program" } as never,
    load: async () => {},
    write: async () => {},
    read: async () => [],
    packetOut: async () => {},
    acknowledgeDigest: async () => {},
    watch: () => () => {},
    close: async () => {},
  };
}

describe("requests other than writes and reads", () => {
  it("take the channel and the time of one operation each", async () => {
    const acts: ControlAct["kind"][] = [];
    channel.observer = ({ kind }) => acts.push(kind);
    ask(0, "load", () => channel.load({} as never));
    ask(1000, "verify", () => channel.verify({} as never));
    ask(2000, "packet-out", () => channel.packetOut({ payload: new Uint8Array(1), metadata: {} } as never));
    ask(3000, "acknowledge", () => channel.acknowledgeDigest("d", 1n));
    ask(4000, "write", write);
    await run();
    expect(log).toEqual([
      ...["140 loads", "240 load answered"],
      ...["1140 verifies", "1240 verify answered"],
      ...["2140 sends", "2240 packet-out answered"],
      ...["3140 acknowledges", "3240 acknowledge answered"],
      ...["4140 writes", "4240 write answered"],
    ]);
    expect(acts).toEqual(["packet-out", "write"]);
    channel.observer = undefined;
    log.length = 0;
    ask(20_000, "packet-out", () => channel.packetOut({ payload: new Uint8Array(1), metadata: {} } as never));
    ask(20_500, "write", write);
    await simulation.runAsync(30_000);
    expect(log).toEqual([
      ...["20140 sends", "20240 packet-out answered"],
      ...["20640 writes", "20740 write answered"],
    ]);
  });
});
