import { describe, expect, it } from "vitest";
import {
  ControlChannel,
  entityBytes,
  MESSAGE_BYTES,
  Simulation,
  settle,
} from "../../../../src/fabric/sim/packet/index.js";
import type { Device, DeviceEvent, Entity, Update } from "../../../../src/toolchain/device/index.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Notes what is asked of it and when. */
function recorder(simulation: Simulation) {
  const log: string[] = [];
  const listeners = new Set<(event: DeviceEvent) => void>();
  const note = (text: string) => log.push(`${simulation.now}:${text}`);
  const device: Device = {
    name: "s1",
    program: undefined,
    load: async () => void note("load"),
    write: async (updates) => {
      note(`write ${updates.length}`);
      if (updates.length === 0) throw new Error("refused");
    },
    read: async (): Promise<Entity[]> => {
      note("read");
      return [];
    },
    packetOut: async () => void note("packetOut"),
    acknowledgeDigest: async () => void note("acknowledge"),
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => void note("close"),
  };
  return {
    device,
    log,
    note,
    tell: (event: DeviceEvent) => {
      for (const listener of listeners) listener(event);
    },
  };
}

const update: Update = {
  type: "insert",
  entity: { kind: "register", register: "r", index: 0, value: 1n },
};

describe("control channel", () => {
  it("delays orders and answers, and keeps their order", async () => {
    const simulation = new Simulation({ turn });
    const { device, log, note } = recorder(simulation);
    const channel = new ControlChannel(simulation, device, { delay: 1000 });
    expect(channel.name).toBe("s1");
    const done = Promise.all([
      channel.write([update]).then(() => note("written 1")),
      channel.write([update, update]).then(() => note("written 2")),
      channel.read([]).then(() => note("answered")),
    ]);
    expect(log).toEqual([]);
    await settle(simulation, done);
    expect(log).toEqual([
      "1000:write 1",
      "1000:write 2",
      "1000:read",
      "2000:written 1",
      "2000:written 2",
      "2000:answered",
    ]);
  });

  it("carries refusals back", async () => {
    const simulation = new Simulation({ turn });
    const channel = new ControlChannel(simulation, recorder(simulation).device, { delay: 50 });
    await expect(settle(simulation, channel.write([]))).rejects.toThrow("refused");
    expect(simulation.now).toBe(100);
  });

  it("delays what the switch says, until the listener has left", () => {
    const simulation = new Simulation({ turn });
    const { device, tell } = recorder(simulation);
    const channel = new ControlChannel(simulation, device, { delay: 10 });
    const heard: number[] = [];
    const stop = channel.watch(() => heard.push(simulation.now));
    const event: DeviceEvent = { kind: "portState", port: 1, up: false };
    tell(event);
    simulation.at(5, () => tell(event));
    simulation.run(12);
    expect(heard).toEqual([10]);
    stop();
    simulation.run();
    expect(heard).toEqual([10]);
  });

  it("sends one message after the other at its rate, and the switch works on one after the other", async () => {
    const simulation = new Simulation({ turn });
    const { device, log, note } = recorder(simulation);
    // A byte takes a microsecond.
    const channel = new ControlChannel(simulation, device, { delay: 500, rate: 8e6, processing: 7_000_000 });
    const bytes = MESSAGE_BYTES + entityBytes(update.entity);
    const done = Promise.all([
      channel.write([update]).then(() => note("written 1")),
      channel.write([update]).then(() => note("written 2")),
    ]);
    await settle(simulation, done);
    const arrives = [1, 2].map((n) => n * bytes * 1000 + 500);
    const finished = [arrives[0]! + 7e6, arrives[0]! + 14e6];
    const answer = MESSAGE_BYTES * 1000 + 500;
    expect(log).toEqual([
      `${finished[0]}:write 1`,
      `${finished[0]! + answer}:written 1`,
      `${finished[1]}:write 1`,
      `${finished[1]! + answer}:written 2`,
    ]);
    expect(arrives[1]!).toBeLessThan(finished[0]!);
  });

  it("answers a control loop while the network runs", async () => {
    const simulation = new Simulation({ turn });
    const { device, log } = recorder(simulation);
    const channel = new ControlChannel(simulation, device, { delay: 1_000_000 });
    const sleep = (time: number) =>
      new Promise<void>((resolve) =>
        simulation.at(simulation.now + time, () => {
          simulation.letPromisesRun();
          resolve();
        }),
      );
    const answered: number[] = [];
    const loop = async () => {
      for (;;) {
        await channel.read([]);
        answered.push(simulation.now);
        await sleep(10_000_000);
      }
    };
    void loop();
    let events = 0;
    const traffic = () => {
      events++;
      simulation.at(simulation.now + 100_000, traffic);
    };
    simulation.at(0, traffic);
    await simulation.runAsync(1_000_000_000);
    // A round is 2 ms on the channel and 10 ms of sleep.
    expect(answered).toEqual(Array.from({ length: 84 }, (_, i) => 2_000_000 + 12_000_000 * i));
    expect(log.length).toBe(84);
    expect(events).toBe(10_001);
    expect(simulation.now).toBe(1_000_000_000);
  });

  it("notices when an answer can never come", async () => {
    const simulation = new Simulation({ turn });
    await expect(settle(simulation, new Promise(() => {}))).rejects.toThrow("still missing");
  });
});
