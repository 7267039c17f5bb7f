import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { describe, expect, it } from "vitest";
import type { DeviceEvent, Entity, TableEntry, Update } from "../../../src/toolchain/device/index.js";
import { type Notice, RemoteDevice, serve, WriteError } from "../../../src/toolchain/p4runtime/index.js";
import {
  codeOf,
  cpuProgram,
  destination,
  refusal,
  startClient,
  startPair,
  startServer,
  until,
  wireOf,
} from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

const program = cpuProgram();

describe("connect", () => {
  it("becomes primary with an election id above all seen", async () => {
    const { server, client } = await startPair();
    expect(client.isPrimary).toBe(true);
    await client.close();
    const next = await startClient(server.address);
    expect(next.isPrimary).toBe(true);
    await next.write([destination(1)]);
  });

  it("does not displace another primary without takeOver, and names it", async () => {
    const { server, client } = await startPair({ connect: { electionId: 40n } });
    const error = await refusal(startClient(server.address));
    expect(error.code).toBe("PERMISSION_DENIED");
    expect(error.message).toBe("not primary: the controller with election id 40 is");
    const lower = await refusal(startClient(server.address, { electionId: 39n }));
    expect(lower.message).toBe("not primary: the controller with election id 40 is; ours is 39");
    expect(await codeOf(startClient(server.address, { electionId: 40n }))).toBe("INVALID_ARGUMENT");
    expect(client.isPrimary).toBe(true);
    const taker = await startClient(server.address, { takeOver: true });
    await taker.write([destination(1)]);
    await until(() => !client.isPrimary);
    const refused = await refusal(client.write([destination(2)]));
    expect(refused.code).toBe("PERMISSION_DENIED");
    expect(refused.message).toContain("the controller with election id 41 is; ours is 40");
  });

  it("reads without a session", async () => {
    const { server, client } = await startPair();
    await client.write([destination(1)]);
    const reader = await startClient(server.address, { readOnly: true });
    expect(await reader.read([{ kind: "tableEntry" }])).toHaveLength(1);
    expect(await codeOf(reader.write([destination(2)]))).toBe("PERMISSION_DENIED");
    expect(
      await codeOf(reader.packetOut({ payload: new Uint8Array(), metadata: { port: 0n, via_tables: 0n } })),
    ).not.toBe("OK");
    expect(reader.isPrimary).toBe(false);
  });

  it("takes messages up to the limit that it is given", async () => {
    const { server, client } = await startPair();
    await client.close();
    // The program is the longest message: some 22 kB.
    const enough = await startClient(server.address, { maxMessageBytes: 30_000 });
    await enough.close();
    const error = await refusal(startClient(server.address, { maxMessageBytes: 4000 }));
    expect(error.code).toBe("RESOURCE_EXHAUSTED");
    expect(error.message).toContain("larger than max");
  });

  it("resigns, and claims with the highest election id that was seen, not above it", async () => {
    const { server, client } = await startPair({ connect: { electionId: 7n } });
    client.resign();
    expect(client.isPrimary).toBe(false);
    expect(await codeOf(client.write([destination(1)]))).toBe("PERMISSION_DENIED");
    expect(await client.read([{ kind: "tableEntry" }])).toHaveLength(0);
    await client.claim();
    await client.write([destination(1)]);
    client.resign();
    const other = await startClient(server.address, { electionId: 7n });
    expect(other.isPrimary).toBe(true);
    const error = await refusal(client.claim());
    expect(error.message).toBe("not primary: the controller with election id 7 is");
  });

  it("has the same program after a refresh, unless another controller has loaded one", async () => {
    const { server, client } = await startPair();
    const { program, index } = client;
    await client.refresh();
    expect(client.program).toBe(program);
    expect(client.index).toBe(index);
    client.resign();
    const other = await startClient(server.address);
    const changed = cpuProgram();
    changed.bmv2.program = "changed.p4";
    await other.load(changed);
    await client.refresh();
    expect(client.program?.bmv2.program).toBe("changed.p4");
  });

  it("keeps roles apart", async () => {
    const { server, client } = await startPair();
    const other = await startClient(server.address, { role: "telemetry" });
    expect([client.isPrimary, other.isPrimary]).toEqual([true, true]);
    await other.write([destination(1)]);
    expect(await client.read([{ kind: "tableEntry" }])).toHaveLength(1);
  });

  it("is refused after the timeout when no server answers", async () => {
    const error = await refusal(startClient("127.0.0.1:1", { timeoutMs: 300 }));
    expect([error.code, error.message]).toEqual([
      "UNAVAILABLE",
      "no P4Runtime server answers at 127.0.0.1:1",
    ]);
    expect(await codeOf(startClient("127.0.0.1:1", { batchSize: 0 }))).toBe("INVALID_ARGUMENT");
  });
});

describe("RemoteDevice", () => {
  it("loads a program, and knows one that is loaded", async () => {
    const device = new MemoryDevice();
    const server = await startServer(device);
    const client = await startClient(server.address);
    expect(client.program).toBeUndefined();
    expect(await codeOf(client.read([{ kind: "tableEntry" }]))).toBe("FAILED_PRECONDITION");
    await client.verify(program);
    expect(device.program).toBeUndefined();
    await client.load(program);
    expect(device.program!.bmv2).toMatchObject(program.bmv2 as object);
    const reader = await startClient(server.address, { readOnly: true });
    expect(reader.program!.bmv2).toEqual(device.program!.bmv2);
    expect(reader.index!.tables.byName("destinations")).toBeDefined();
    device.refuses = () => "no";
    expect(await codeOf(client.load(program))).toBe("INVALID_ARGUMENT");
  });

  it("writes in dependency order whatever the batch size, and reads back what it wrote", async () => {
    const { device, client } = await startPair({ connect: { batchSize: 7 } });
    const sizes: number[] = [];
    device.beforeWrite = async (updates) => void sizes.push(updates.length);
    const profile = wireOf(program).index.actionProfiles.list[0]!;
    const table = profile.tables[0]!;
    const action = [...table.actions.values()].find((use) => use.scope === 0)!.action;
    const params = Object.fromEntries(action.params.list.map((p) => [p.name, 3n]));
    const members: Entity[] = [1, 2].map((memberId) => ({
      kind: "member",
      profile: profile.name,
      memberId,
      action: { action: action.name, params },
    }));
    const group: Entity = {
      kind: "group",
      profile: profile.name,
      groupId: 1,
      members: [
        { memberId: 1, weight: 1 },
        { memberId: 2, weight: 2, watchPort: 5 },
      ],
      maxSize: 8,
    };
    const entry: TableEntry = {
      kind: "tableEntry",
      table: table.name,
      match: table.fields.list.map((f) => ({ kind: "exact", field: f.name, value: 1n })),
      priority: 0,
      action: { kind: "group", groupId: 1 },
    };
    const all = [...members, group, entry];
    await client.write(all.map((entity) => ({ type: "insert", entity })));
    expect(sizes).toEqual([2, 1, 1]);
    const there = await client.read([
      { kind: "member" },
      { kind: "group" },
      { kind: "tableEntry", table: table.name },
    ]);
    expect(there).toEqual(all);
    sizes.length = 0;
    await client.write(Array.from({ length: 20 }, (_, i) => destination(i)));
    expect(sizes).toEqual([7, 7, 6]);
    sizes.length = 0;
    await client.write(
      Array.from({ length: 20 }, (_, i) => destination(100 + i)),
      "rollbackOnError",
    );
    expect(sizes).toEqual([20]);
  });

  it("reports the updates that failed, over all batches", async () => {
    const { client } = await startPair({ connect: { batchSize: 3 } });
    await client.write([destination(2), destination(4)]);
    const wrong = destination(5, 1);
    (wrong.entity as { match: unknown }).match = [{ kind: "exact", field: "hdr.eth.type", value: 1n }];
    const error = await refusal(client.write([0, 1, 2, 3, 4].map((i) => destination(i)).concat([wrong])));
    expect(error).toBeInstanceOf(WriteError);
    expect(error.updates!.map((u) => u.code)).toEqual([
      "OK",
      "OK",
      "ALREADY_EXISTS",
      "OK",
      "ALREADY_EXISTS",
      "INVALID_ARGUMENT",
    ]);
    expect((error as WriteError).failures.map((f) => f.index)).toEqual([2, 4, 5]);
    expect(error.message).toContain(
      "3 of 6 updates failed: insert table TheIngress.destinations hdr.eth.dst=02:00:00:00:00:02: ALREADY_EXISTS",
    );
    expect(error.message).toContain('has no key field "hdr.eth.type"; its fields: hdr.eth.dst');
    const single = await refusal(client.write([destination(2)]));
    expect(single.code).toBe("ALREADY_EXISTS");
    expect(single.message).toMatch(
      /^insert table TheIngress\.destinations hdr\.eth\.dst=02:00:00:00:00:02: /,
    );
    expect(single.message).not.toContain("ALREADY_EXISTS");
  });

  it("sends nothing of an atomic batch that it cannot encode", async () => {
    const { client, device } = await startPair();
    const wrong = destination(1);
    (wrong.entity as { table: string }).table = "nothing";
    const error = await refusal(client.write([destination(2), wrong], "dataplaneAtomic"));
    expect(error.updates!.map((u) => u.code)).toEqual(["OK", "INVALID_ARGUMENT"]);
    expect(await device.read([{ kind: "tableEntry" }])).toEqual([]);
  });

  it("receives packets, digests and idle timeouts, and acknowledges", async () => {
    const { client, device } = await startPair();
    const events: DeviceEvent[] = [];
    const stop = client.watch((event) => events.push(event));
    const { index } = wireOf(program);
    const metadata = Object.fromEntries(
      index.controllerHeaders.byName("packet_in")!.fields.list.map((f, i) => [f.name, BigInt(i)]),
    );
    const said: DeviceEvent[] = [
      { kind: "packetIn", packet: { payload: Uint8Array.of(1, 2), metadata } },
      {
        kind: "digest",
        list: { digest: index.digests.list[0]!.name, listId: 3n, data: [[1n, 2n, 3n]], timestampNs: 4n },
      },
      { kind: "idleTimeout", entries: [idleEntry()], timestampNs: 5n },
    ];
    for (const event of said) device.say(event);
    await until(() => events.length === 3);
    expect(events).toEqual(said);
    stop();
    device.say(said[0]!);
    await client.acknowledgeDigest(index.digests.list[0]!.name, 3n);
    expect(await codeOf(client.acknowledgeDigest("nothing", 3n))).toBe("INVALID_ARGUMENT");
    const out = Object.fromEntries(
      index.controllerHeaders.byName("packet_out")!.fields.list.map((f) => [f.name, 1n]),
    );
    await client.packetOut({ payload: Uint8Array.of(7), metadata: out });
    await until(() => device.packets.length === 1 && device.acks.length === 1);
    expect(device.packets).toEqual([{ payload: Uint8Array.of(7), metadata: out }]);
    expect(events).toHaveLength(3);
  });

  it("can itself be served", async () => {
    const { client, device } = await startPair();
    const outer = await startServer(client);
    const farther = await startClient(outer.address);
    await farther.write([destination(1)]);
    expect(await device.read([{ kind: "tableEntry" }])).toEqual([destination(1).entity]);
    const error = await refusal(farther.write([destination(1)]));
    expect(error.code).toBe("ALREADY_EXISTS");
    await farther.load(program);
    expect(await device.read([{ kind: "tableEntry" }])).toEqual([]);
  });
});

function idleEntry(): TableEntry {
  const { action: _, ...entry } = destination(1).entity as TableEntry;
  return { ...entry, idleTimeoutNs: 9n, controllerMetadata: 2n };
}

describe("a broken connection", () => {
  it("comes back, is primary again and knows the program", async () => {
    const device = new MemoryDevice();
    await device.load(program);
    const first = await serve(device, { address: "127.0.0.1:0" });
    const notices: Notice[] = [];
    const client = await startClient(first.address, { onNotice: (notice) => notices.push(notice) });
    await first.close();
    await until(() => notices.length === 1);
    expect(notices[0]!.kind).toBe("disconnected");
    expect(await codeOf(client.write([destination(1)]))).toBe("UNAVAILABLE");
    await startServer(device, { address: first.address });
    await until(() => notices.length === 2);
    expect(notices[1]).toEqual({ kind: "primary", electionId: 1n });
    await client.write([destination(1)]);
  });

  it("reports that another controller took over, and that its own packets are refused", async () => {
    const notices: Notice[] = [];
    const { server, client } = await startPair({ connect: { onNotice: (notice) => notices.push(notice) } });
    const taker = await startClient(server.address, { takeOver: true });
    await until(() => notices.length === 1);
    expect(notices[0]).toEqual({ kind: "backup", primary: 2n });
    const fields = client.index!.controllerHeaders.byName("packet_out")!.fields.list;
    await client.packetOut({
      payload: Uint8Array.of(1),
      metadata: Object.fromEntries(fields.map((f) => [f.name, 0n])),
    });
    await until(() => notices.length === 2);
    expect(notices[1]).toMatchObject({ kind: "streamError", error: { code: "PERMISSION_DENIED" } });
    await taker.close();
    expect(client.isPrimary).toBe(false);
  });

  it("is not restored after close", async () => {
    const { client } = await startPair();
    await client.close();
    expect(await codeOf(client.write([destination(1)]))).toBe("UNAVAILABLE");
  });
});

describe("TLS", () => {
  const pem = (name: string) => readFileSync(join(import.meta.dirname, "tls", name), "utf8");
  const tls = { certificate: pem("server.pem"), privateKey: pem("server.key") };
  const ca = pem("ca.pem");

  it("protects the connection, and fails without the CA", async () => {
    const server = await startServer(new MemoryDevice(), { tls });
    const address = `localhost:${server.port}`;
    const client = await startClient(address, { tls: { ca } });
    await client.load(program);
    await client.write([destination(1)]);
    expect(await codeOf(startClient(address, { timeoutMs: 500 }))).toBe("UNAVAILABLE");
  });

  it("is HTTP/2 by its protocol name, and takes another name of the server where one is given", async () => {
    const server = await startServer(new MemoryDevice(), { tls });
    const socket = connectTls({
      port: server.port,
      host: "127.0.0.1",
      servername: "localhost",
      ca,
      ALPNProtocols: ["h2", "http/1.1"],
    });
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe("h2");
    socket.destroy();
    const client = await startClient(`127.0.0.1:${server.port}`, { tls: { ca, serverName: "localhost" } });
    expect(client.isPrimary).toBe(true);
    const other = { tls: { ca, serverName: "elsewhere" }, timeoutMs: 500 };
    expect(await codeOf(startClient(`127.0.0.1:${server.port}`, other))).toBe("UNAVAILABLE");
  });

  it("requires a client certificate when a CA for clients is given", async () => {
    const server = await startServer(new MemoryDevice(), { tls: { ...tls, clientCa: ca } });
    const address = `localhost:${server.port}`;
    const own = { certificate: pem("client.pem"), privateKey: pem("client.key") };
    const client = await startClient(address, { tls: { ca, ...own } });
    expect(client).toBeInstanceOf(RemoteDevice);
    expect(await codeOf(startClient(address, { tls: { ca }, timeoutMs: 500 }))).not.toBe("OK");
  });
});

describe("large failures", () => {
  it("keep their statuses at the default batch size", async () => {
    const { client } = await startPair();
    const updates: Update[] = Array.from({ length: 3000 }, (_, i) => destination(i));
    await client.write(updates);
    const error = await refusal(client.write(updates));
    expect(error.updates).toHaveLength(3000);
    expect(error.updates!.every((u) => u.code === "ALREADY_EXISTS")).toBe(true);
  });

  it("are summarised when a trailer cannot hold all of them", async () => {
    const { client } = await startPair({ connect: { batchSize: 5000 } });
    const updates: Update[] = Array.from({ length: 5000 }, (_, i) => destination(i));
    await client.write(updates);
    const error = await refusal(client.write(updates));
    expect(error.updates).toBeUndefined();
    expect(error.message).toContain("5000 of 5000 updates failed, too many to list all of them");
    expect(error.message).toContain("number 1: ALREADY_EXISTS");
  });
});
