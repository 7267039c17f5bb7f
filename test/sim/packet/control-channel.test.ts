import { describe, expect, it } from "vitest";
import type { Device, DeviceEvent, Entity, Update } from "../../../src/program/index.js";
import { ControlChannel, Simulation, settle } from "../../../src/sim/packet/index.js";

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

const update = {} as Update;

describe("control channel", () => {
  it("delays orders and answers, and keeps their order", async () => {
    const simulation = new Simulation();
    const { device, log, note } = recorder(simulation);
    const channel = new ControlChannel(simulation, device, 1000);
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
    const simulation = new Simulation();
    const channel = new ControlChannel(simulation, recorder(simulation).device, 50);
    await expect(settle(simulation, channel.write([]))).rejects.toThrow("refused");
    expect(simulation.now).toBe(100);
  });

  it("delays what the switch says, until the listener has left", () => {
    const simulation = new Simulation();
    const { device, tell } = recorder(simulation);
    const channel = new ControlChannel(simulation, device, 10);
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

  it("notices when an answer can never come", async () => {
    const simulation = new Simulation();
    await expect(settle(simulation, new Promise(() => {}))).rejects.toThrow("still missing");
  });
});
