/** Parts of client and server that need no connection: batches of updates, roles, and messages of a Read. */
import { describe, expect, it } from "vitest";
import type { Update } from "../../../src/toolchain/device/index.js";
import { batches } from "../../../src/toolchain/p4runtime/client/batches.js";
import { Arbitration } from "../../../src/toolchain/p4runtime/server/arbitration.js";
import { responses } from "../../../src/toolchain/p4runtime/server/read.js";
import { cpuProgram, destination, startClient, startServer, wireOf } from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

describe("the batches of a Write", () => {
  it("are as few as their size allows where no update depends on another", () => {
    for (const [count, size] of [
      [0, 3],
      [1, 3],
      [3, 3],
      [4, 3],
      [7, 1],
    ] as const) {
      const updates = Array.from({ length: count }, (_, i) => destination(i));
      const sizes = [...batches(updates, size)].map(([start, end]) => end - start);
      expect(sizes).toHaveLength(Math.ceil(count / size));
      expect(sizes.slice(0, -1).every((one) => one === size)).toBe(true);
    }
    const group: Update = { type: "delete", entity: { kind: "multicastGroup", groupId: 1, replicas: [] } };
    expect([...batches([destination(0), group, destination(1)], 9)]).toEqual([[0, 3]]);
    // A direct resource follows its entry.
    const direct: Update = {
      type: "modify",
      entity: {
        kind: "directCounter",
        entry: { kind: "tableEntry", table: "TheIngress.destinations", match: [], priority: 0 },
        data: { packets: 0n, bytes: 0n },
      },
    };
    expect([...batches([destination(0), direct, destination(1)], 9)]).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });
});

it("a Read of which nothing may be answered sends no message", async () => {
  const wire = wireOf(cpuProgram());
  const entities = Array.from({ length: 600 }, (_, i) => destination(i).entity);
  const messages = async (keep?: () => boolean): Promise<number> => {
    let count = 0;
    for await (const response of responses(wire, entities, () => undefined, keep)) {
      expect(response.length).toBeGreaterThan(0);
      count++;
    }
    return count;
  };
  expect(await messages(() => false)).toBe(0);
  expect(await messages(() => true)).toBe(await messages());
  expect(await messages()).toBeGreaterThan(2);
});

it("a role that nobody has named has no configuration, and is unknown", () => {
  const arbitration = new Arbitration(1n, 4);
  expect(arbitration.configOf("other")).toBeUndefined();
  expect(arbitration.knowsRole("other")).toBe(false);
  expect(arbitration.knowsRole("")).toBe(true);
});

it("events of a device without a program reach nobody, and do no harm", async () => {
  const device = new MemoryDevice();
  const client = await startClient((await startServer(device)).address);
  expect(client.isPrimary).toBe(true);
  expect(() =>
    device.say({ kind: "packetIn", packet: { payload: Uint8Array.of(1), metadata: {} } }),
  ).not.toThrow();
});

it("a device has the name that it is given, or its address", async () => {
  const { address } = await startServer();
  expect((await startClient(address, { readOnly: true })).name).toBe(address);
  expect((await startClient(address, { readOnly: true, name: "s1" })).name).toBe("s1");
});
