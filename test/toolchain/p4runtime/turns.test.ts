/** Turns of packets and other tasks during one large Write or Read; what is locked meanwhile, and what is atomic. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Atomicity, Update } from "../../../src/toolchain/device/index.js";
import {
  UpdateSchema,
  WriteRequest_Atomicity,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { PackedWrite } from "../../../src/toolchain/p4runtime/server/packed-write.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "../switch/golden.js";
import { codeOf, cpuProgram, destination, refusal, startClient, startServer } from "./helpers.js";
import { roomyProgram } from "./program.js";

const ENTRIES = [{ kind: "tableEntry", table: "TheIngress.destinations" }] as const;

/** A frame to the destination of entry 0. */
const FRAME = Uint8Array.from([2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 50, 0x12, 0x34, 1]);

/** A switch behind a server; `onTurn` runs in each turn that the server gives to others. */
async function start() {
  const sent: number[] = [];
  const device = new Switch(roomyProgram(), {
    clock: new ManualClock(),
    cpuPort: 255,
    transmit: (port) => void sent.push(port),
  });
  const count = (): number => device.query(ENTRIES).length;
  const state = { onTurn: (): void => {} };
  const yieldTurn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    state.onTurn();
  };
  const server = await startServer(device, { yieldTurn });
  const client = await startClient(server.address, { batchSize: 1000, timeoutMs: 60_000 });
  return { device, sent, count, state, server, client };
}

const inserts = (count: number): Update[] => Array.from({ length: count }, (_, i) => destination(i));

describe("a Write of many updates", () => {
  it("is applied in order, and packets are forwarded between its updates", async () => {
    const { device, sent, count, state, client } = await start();
    const seen: number[] = [];
    state.onTurn = () => {
      device.receive(3, FRAME);
      seen.push(count());
    };
    await client.write(inserts(500));
    expect(count()).toBe(500);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const between = new Set(seen.filter((entries) => entries > 0 && entries < 500));
    expect(between.size).toBeGreaterThan(5);
    expect(sent.filter((port) => port === 1).length).toBeGreaterThanOrEqual(between.size);
    expect(await client.read(ENTRIES)).toEqual(device.query(ENTRIES));
  });

  it.each<[Atomicity, boolean]>([
    ["rollbackOnError", true],
    ["dataplaneAtomic", false],
  ])("is rolled back as a whole with %s, and packets meet states between: %s", async (atomicity, meets) => {
    const { device, count, state, client } = await start();
    await client.write(inserts(10));
    const before = device.query(ENTRIES);
    const seen = new Set<number>();
    state.onTurn = () => void seen.add(count());
    const batch = [...inserts(300).slice(10), destination(3)];
    const { updates } = await refusal(client.write(batch, atomicity));
    expect(updates!.map(({ code }) => code)).toEqual([...Array(290).fill("ABORTED"), "ALREADY_EXISTS"]);
    expect(device.query(ENTRIES)).toEqual(before);
    expect([...seen].some((entries) => entries > 10)).toBe(meets);
  });

  it("keeps the good updates with continueOnError", async () => {
    const { count, client } = await start();
    const batch = [...inserts(200), destination(3), destination(200)];
    const { updates } = await refusal(client.write(batch));
    expect(updates!.flatMap(({ code }, i) => (code === "OK" ? [] : [`${i} ${code}`]))).toEqual([
      "200 ALREADY_EXISTS",
    ]);
    expect(count()).toBe(201);
  });

  it("makes later writes wait, of the same device too", async () => {
    const { device, count, state, client } = await start();
    const remove: Update = { type: "delete", entity: destination(0).entity };
    let own: Promise<number> | undefined;
    let refused: Promise<string> | undefined;
    let second: Promise<void> | undefined;
    state.onTurn = () => {
      if (own !== undefined || count() === 0) return;
      own = device.write([remove]).then(count);
      refused = codeOf(() => device.apply([remove]));
      // Refused, if it came before the last insert.
      second = client.write([{ type: "delete", entity: destination(399).entity }]);
    };
    await client.write(inserts(400), "rollbackOnError");
    await second;
    expect(await refused).toBe("ABORTED");
    expect(await own).toBe(399);
    expect(count()).toBe(398);
  });

  it("ends when the switch gets another program", async () => {
    const { device, count, state, client } = await start();
    state.onTurn = () => {
      if (count() > 0) device.install(cpuProgram());
    };
    expect(await codeOf(client.write(inserts(400), "rollbackOnError"))).toBe("ABORTED");
    expect(count()).toBe(0);
  });

  it("is refused with dataplaneAtomic when packets would wait for too long", async () => {
    const { count, client } = await start();
    const { code, message } = await refusal(client.write(inserts(401), "dataplaneAtomic"));
    expect(code).toBe("RESOURCE_EXHAUSTED");
    expect(message).toContain("401 updates in one Write with DATAPLANE_ATOMIC; at most 400");
    expect(count()).toBe(0);
    await client.write(inserts(400), "dataplaneAtomic");
    expect(count()).toBe(400);
  });
});

it("a Read of many entities gives turns", async () => {
  const { device, state, client } = await start();
  await device.write(inserts(600));
  let turns = 0;
  state.onTurn = () => void turns++;
  expect(await client.read(ENTRIES)).toHaveLength(600);
  expect(turns).toBeGreaterThanOrEqual(12);
});

it("a packed Write holds what the message holds", () => {
  const request = fc.record({
    deviceId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    role: fc.string(),
    atomicity: fc.constantFrom(
      WriteRequest_Atomicity.CONTINUE_ON_ERROR,
      WriteRequest_Atomicity.DATAPLANE_ATOMIC,
    ),
    ids: fc.array(fc.nat()),
  });
  fc.assert(
    fc.property(request, ({ ids, ...head }) => {
      const message = create(WriteRequestSchema, { ...head, electionId: { high: 1n, low: 2n } });
      for (const tableId of ids) {
        const entity = { entity: { case: "tableEntry" as const, value: { tableId } } };
        message.updates.push(create(UpdateSchema, { type: 1, entity }));
      }
      const bytes = toBinary(WriteRequestSchema, message);
      const packed = new PackedWrite(Buffer.from(bytes));
      const updates = Array.from({ length: packed.length }, (_, i) => packed.update(i));
      expect({ ...packed.head, updates }).toEqual(fromBinary(WriteRequestSchema, bytes));
      if (ids.length > 0) expect(() => new PackedWrite(Buffer.from(bytes.subarray(0, -1)))).toThrow();
    }),
  );
});

describe("the load of a program", () => {
  it("gives turns, in which the former program forwards packets", async () => {
    const { device, sent, count, state, client } = await start();
    await client.write(inserts(10));
    const seen: number[] = [];
    state.onTurn = () => {
      device.receive(3, FRAME);
      seen.push(count());
    };
    await client.load(roomyProgram());
    // The former state is complete in each turn, until there is the new program with none.
    expect(seen.filter((entries) => entries === 10).length).toBeGreaterThanOrEqual(8);
    expect(new Set(seen)).toEqual(new Set([10]));
    expect(sent).toEqual(seen.map(() => 1));
    expect(count()).toBe(0);
  });

  it("is refused for a P4Info that contradicts itself", async () => {
    const { device, client } = await start();
    const { bmv2, p4info } = roomyProgram();
    const [table] = p4info.tables;
    const twice = { ...p4info, tables: [...p4info.tables, table!] };
    const { code, message } = await refusal(client.load({ bmv2, p4info: twice }));
    expect([code, message]).toEqual(["INVALID_ARGUMENT", expect.stringContaining("the p4info is wrong")]);
    expect(device.program).not.toBeUndefined();
  });

  it("leaves everything as it was when the switch cannot run the program", async () => {
    const { device, count, client } = await start();
    await client.write(inserts(10));
    const { program } = device;
    const [bmv2, p4info] = [structuredClone(program!.bmv2), program!.p4info];
    bmv2.actions.find(({ primitives }) => primitives.length > 0)!.primitives[0]!.op = "teleport";
    const { code, message } = await refusal(client.load({ bmv2, p4info }));
    expect(code).toBe("INVALID_ARGUMENT");
    expect(message).toContain("teleport");
    expect(device.program).toBe(program);
    expect(count()).toBe(10);
  });
});
