/** The state as a document: SaveState, RestoreState and ResetState of p4loom.v1.Settings, over a real switch. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { runCommands } from "../../../src/toolchain/control/index.js";
import type { ReadQuery, TableEntry, Update } from "../../../src/toolchain/device/index.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  ResetStateRequestSchema,
  SaveStateRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4loom/v1/settings_pb.js";
import { documentParts } from "../../../src/toolchain/p4runtime/server/state.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { p4infoOf } from "../control/start.js";
import { goldenText, startUnconfigured } from "../switch/golden.js";
import { codeOf, openChannel, refusal, startClient, startServer, wireOf } from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

const EVERYTHING: readonly ReadQuery[] = [
  { kind: "tableEntry", counter: true, meter: true },
  { kind: "tableEntry", isDefault: true },
  { kind: "member" },
  { kind: "group" },
  { kind: "counter" },
  { kind: "meter" },
  { kind: "register" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
  { kind: "digest" },
  { kind: "valueSet" },
];

async function remote(name: string) {
  const { device } = startUnconfigured(name, p4infoOf(name));
  const server = await startServer(device);
  // 64 MB take long on a busy machine.
  const client = await startClient(server.address, { timeoutMs: 60_000 });
  return { device, server, client, state: client.state! };
}

const text = (document: Uint8Array): string => new TextDecoder().decode(document);
const bytes = (document: string): Uint8Array => new TextEncoder().encode(document);

const keyOf = ({ kind, table, match, priority }: TableEntry): TableEntry => ({
  kind,
  table,
  match,
  priority,
});

const route = (value: bigint, nextHop: bigint): Update => ({
  type: "insert",
  entity: {
    kind: "tableEntry",
    table: "TheIngress.routes4",
    match: [{ kind: "lpm", field: "hdr.ipv4.dst", value, prefixLength: 32 }],
    priority: 0,
    action: { kind: "action", action: "TheIngress.route", params: { next_hop: nextHop } },
    counter: { packets: nextHop, bytes: 100n * nextHop },
  },
});

describe("a saved state", () => {
  it.each(["cpu", "selector", "replicate", "memory", "parse", "l3"])(
    "brings all of %s back, on any switch",
    async (name) => {
      const { device, state } = await remote(name);
      const commands = goldenText(name, "config.txt")!.replace(/^mirroring_add 0 .*$/m, "");
      await runCommands(device, new SourceFile("config.txt", commands), new Diagnostics());
      const document = await state.save();
      expect(text(document).split("\n").length).toBeGreaterThan(3);
      const before = device.query(EVERYTHING);
      const other = await remote(name);
      await other.state.restore(document);
      expect(other.device.query(EVERYTHING)).toEqual(before);
      expect(text(await other.state.save())).toBe(text(document));
      // Nothing of another state is left.
      await state.reset();
      const fresh = device.query(EVERYTHING);
      expect(fresh).not.toEqual(before);
      const empty = await state.save();
      expect(text(empty).split("\n")).toHaveLength(2);
      await state.restore(document);
      expect(device.query(EVERYTHING)).toEqual(before);
      await state.restore(empty);
      expect(device.query(EVERYTHING)).toEqual(fresh);
    },
  );

  it("is of many parts where it is large", async () => {
    const { device, state } = await remote("memory");
    const registers = Array.from(
      { length: 8 },
      (_, index): Update => ({
        type: "modify",
        entity: { kind: "register", register: "TheIngress.r48", index, value: BigInt(index + 1) << 40n },
      }),
    );
    device.apply(registers);
    const wire = wireOf(device.program!);
    const many = Array.from({ length: 600 }, () => registers).flat();
    const parts: Uint8Array[] = [];
    const running = { device, wire, programName: "x" };
    for await (const part of documentParts(running, many, () => undefined)) parts.push(part);
    expect(parts.length).toBeGreaterThan(1);
    const document = Buffer.concat(parts);
    expect(text(document).split("\n")).toHaveLength(many.length + 2);
    await state.restore(document);
    expect(device.query([{ kind: "register", register: "TheIngress.r48", index: 7 }])).toMatchObject([
      { value: 8n << 40n },
    ]);
    const limited = documentParts(running, many, () => undefined, 1000);
    expect((await refusal(limited.next())).message).toMatch(
      /^the state is too large: \d+ of 4800 updates take \d+ bytes of at most 1000$/,
    );
  });

  it("has the default entries that differ from those of the program", async () => {
    const { device, client, state } = await remote("l3");
    const query: ReadQuery = { kind: "tableEntry", table: "TheIngress.routes6", isDefault: true };
    const [first] = device.query([query]);
    if (first?.kind !== "tableEntry" || first.action?.kind !== "action") throw new Error("no default entry");
    const set = (action: string, params: Record<string, bigint>): Promise<void> => {
      const { isConst: _, ...entity } = { ...first, action: { kind: "action" as const, action, params } };
      return client.write([{ type: "modify", entity }]);
    };
    const lines = async (): Promise<number> =>
      text(await state.save())
        .trimEnd()
        .split("\n").length - 1;
    const { action, params } = first.action;
    expect(params).toEqual({ reason: 3n });
    await set(action, params);
    expect(await lines()).toBe(0);
    for (const [name, values] of [
      [action, { reason: 4n }],
      ["TheIngress.route6", { next_hop: 3n }],
    ] as const) {
      await set(name, values);
      expect(await lines()).toBe(1);
      const document = await state.save();
      const [changed] = device.query([query]);
      await state.reset();
      expect(device.query([query])).toEqual([first]);
      await state.restore(document);
      expect(device.query([query])).toEqual([changed]);
    }
  });

  it("leaves constant entries to the program", async () => {
    const { device, client, state } = await remote("l3");
    const constant = device.query([{ kind: "tableEntry", table: "TheIngress.classes" }]);
    expect(constant.length).toBeGreaterThan(0);
    await client.write([route(1n, 3n)]);
    const document = await state.save();
    // Constant entries are the program's.
    expect(text(document)).not.toContain("isConst");
    expect(text(document).trimEnd().split("\n")).toHaveLength(2);
    await state.restore(document);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.classes" }])).toEqual(constant);
  });

  it("has deletions and changes of entries that a program has at first and that are not constant", async () => {
    const { program } = startUnconfigured("l3", p4infoOf("l3")).device;
    const bmv2 = structuredClone(program!.bmv2);
    const table = bmv2.pipelines[0]!.tables.find(({ name }) => name === "TheIngress.classes")!;
    const p4info = structuredClone(program!.p4info);
    for (const one of p4info.tables) if (one.preamble!.name === table.name) one.isConstTable = false;
    const device = new Switch(
      { bmv2, p4info },
      { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} },
    );
    const client = await startClient((await startServer(device)).address);
    const query: ReadQuery = { kind: "tableEntry", table: table.name };
    const [first, second, ...rest] = device.query([query]);
    if (first?.kind !== "tableEntry" || second?.kind !== "tableEntry") throw new Error("no entries");
    const { isConst: _, ...changed } = { ...second, action: { ...second.action! } };
    await client.write([
      { type: "delete", entity: keyOf(first) },
      { type: "modify", entity: { ...changed, controllerMetadata: 7n } },
    ]);
    const saved = device.query([query]);
    expect(saved).toHaveLength(rest.length + 1);
    const document = await client.state!.save();
    await client.state!.reset();
    expect(device.query([query])).toHaveLength(rest.length + 2);
    await client.state!.restore(document);
    expect(device.query([query])).toEqual(saved);
  });

  it("keeps the parameters of hashes, which are settings", async () => {
    const { device, client, state } = await remote("hash");
    const calculation = device.program!.bmv2.calculations.find(({ algo }) => algo === "crc16_custom");
    expect(calculation).toBeDefined();
    const index = device.program!.bmv2.calculations.indexOf(calculation!);
    const hashOf = () => device.internals.instance.own.hashes[index];
    await client.settings!.setCrcParameters(calculation!.name, 16, {
      polynomial: 0x1021n,
      initial: 1n,
      finalXor: 2n,
      reflectData: true,
      reflectRemainder: false,
    });
    const set = hashOf();
    await state.restore(await state.save());
    expect(hashOf()).toBe(set);
    await state.reset();
    expect(hashOf()).not.toBe(set);
  });
});

describe("a state that cannot be restored", () => {
  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ["empty", () => [""], /^line 1 of the state: this is not a state that SaveState gave$/],
    ["no JSON", () => ["{"], /^line 1 of the state: .*JSON/],
    ["of something else", (lines) => lines.slice(1), /^line 1 of the state: this is not a state/],
    [
      "of a later format",
      (lines) => ['{"p4loomState":2}', ...lines.slice(1)],
      /^line 1 .*: format 2; 1 is known$/,
    ],
    ["cut", (lines) => [...lines.slice(0, -1), lines.at(-1)!.slice(0, -9)], /^line 3 of the state: .*JSON/],
    [
      "of another program",
      (lines) => [...lines, lines[1]!.replace(/"tableId":\d+/, '"tableId":33554431')],
      /^line 4 of the state: .*table/,
    ],
    ["with an unknown field", (lines) => [...lines, '{"entitee":{}}'], /^line 4 of the state: .*entitee/],
    [
      "without an entity",
      (lines) => [...lines, '{"type":"INSERT"}'],
      /^line 4 of the state: the entity of the update is not set$/,
    ],
    [
      "with one entry twice",
      (lines) => [...lines, lines[1]!],
      /^line 4 of the state: table TheIngress.routes4 has an entry with this key$/,
    ],
    [
      "with an action that the table lacks",
      (lines) => [...lines, lines[1]!.replace(/"actionId":\d+/, '"actionId":16777216')],
      /^line 4 of the state: /,
    ],
  ])("%s changes nothing", async (_name, change, message) => {
    const { device, client, state } = await remote("l3");
    await client.write([route(1n, 3n), route(2n, 4n)]);
    const before = device.query(EVERYTHING);
    const lines = text(await state.save())
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(3);
    const error = await refusal(state.restore(bytes(change(lines).join("\n"))));
    expect(error.message).toMatch(message);
    expect(device.query(EVERYTHING)).toEqual(before);
    // The switch continues, and the saved state is used.
    await state.restore(bytes(lines.join("\n")));
    expect(device.query(EVERYTHING)).toEqual(before);
  });

  it("that is not UTF-8 changes nothing", async () => {
    const { state } = await remote("l3");
    const head = bytes('{"p4loomState":1}\n{"type":"INSERT"}\n');
    for (const [document, line] of [
      [[0x22, 0xff, 0x22], 1],
      [[...head.subarray(0, 18), 0xff], 1],
      [[0xe2, 0x82], 1],
    ] as const) {
      const { code, message } = await refusal(state.restore(Uint8Array.from(document)));
      expect([code, message]).toEqual([
        "INVALID_ARGUMENT",
        expect.stringMatching(new RegExp(`^line ${line} of the state: .*(encoded|JSON)`)),
      ]);
    }
    expect((await refusal(state.restore(new Uint8Array(0)))).message).toContain(
      "not a state that SaveState gave",
    );
  });

  it("is bounded", async () => {
    const { state } = await remote("l3");
    const error = await refusal(state.restore(new Uint8Array(64 * 1024 * 1024 + 1)));
    expect(error).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: "the state has more than 67108864 bytes",
    });
  });
});

describe("the rights", () => {
  it("are those of a Write for changes, and those of a Read for saving", async () => {
    const { device, server, client } = await remote("l3");
    await client.write([route(1n, 3n)]);
    const watcher = await startClient(server.address, { readOnly: true });
    expect(text(await watcher.state!.save())).toBe(text(await client.state!.save()));
    expect(await codeOf(watcher.state!.reset())).toBe("PERMISSION_DENIED");
    expect(await codeOf(watcher.state!.restore(new Uint8Array(1)))).toBe("PERMISSION_DENIED");
    const channel = openChannel(server.address);
    const electionId = electionIdMessage(99n);
    expect(
      await codeOf(channel.resetState(create(ResetStateRequestSchema, { deviceId: 1n, electionId }))),
    ).toBe("PERMISSION_DENIED");
    expect(
      await codeOf(channel.resetState(create(ResetStateRequestSchema, { deviceId: 2n, electionId }))),
    ).toBe("NOT_FOUND");
    expect(await codeOf(channel.saveState(create(SaveStateRequestSchema, { deviceId: 2n })))).toBe(
      "NOT_FOUND",
    );
    expect(await codeOf(channel.saveState(create(SaveStateRequestSchema, { deviceId: 1n, role: "x" })))).toBe(
      "NOT_FOUND",
    );
    expect(await codeOf(channel.restoreState([]))).toBe("INVALID_ARGUMENT");
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toHaveLength(1);
  });

  it("need a program, and a device that gives its state", async () => {
    const bare = new Switch(undefined, { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} });
    const client = await startClient((await startServer(bare)).address);
    expect(await codeOf(client.state!.save())).toBe("FAILED_PRECONDITION");
    expect(await codeOf(client.state!.reset())).toBe("FAILED_PRECONDITION");
    const memory = await startServer(new MemoryDevice());
    expect((await startClient(memory.address)).state).toBeUndefined();
    const channel = openChannel(memory.address);
    expect(await codeOf(channel.saveState(create(SaveStateRequestSchema, { deviceId: 1n })))).toBe(
      "UNIMPLEMENTED",
    );
  });
});

it("packets meet the former or the restored state, none between", async () => {
  const { device } = startUnconfigured("l3", p4infoOf("l3"));
  const seen = new Set<number>();
  const count = (): number => device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }]).length;
  let watching = false;
  const server = await startServer(device, {
    yieldTurn: async () => {
      if (watching) seen.add(count());
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const client = await startClient(server.address);
  await client.write(Array.from({ length: 200 }, (_, i) => route(BigInt(i), 1n)));
  const document = await client.state!.save();
  await client.write(
    Array.from({ length: 20 }, (_, i): Update => ({ ...route(BigInt(i), 1n), type: "delete" })),
  );
  watching = true;
  await client.state!.restore(document);
  watching = false;
  expect([...seen]).toEqual([180]);
  expect(count()).toBe(200);
});
