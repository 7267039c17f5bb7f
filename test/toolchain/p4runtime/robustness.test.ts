/** Many controllers, broken connections, killed processes, slow readers, floods: the server and the client live on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { create } from "@bufbuild/protobuf";
import { expect, it, onTestFinished } from "vitest";
import { fromHex } from "../../../src/base/index.js";
import { reconcile } from "../../../src/toolchain/device/index.js";
import type { Stream } from "../../../src/toolchain/p4runtime/client/channel.js";
import { electionIdMessage } from "../../../src/toolchain/p4runtime/election.js";
import {
  PacketOutSchema,
  type StreamMessageRequest,
  StreamMessageRequestSchema,
  type StreamMessageResponse,
  WriteRequestSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { type Notice, serve } from "../../../src/toolchain/p4runtime/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "../switch/golden.js";
import {
  codeOf,
  destination,
  openChannel,
  refusal,
  startClient,
  startPair,
  startServer,
  until,
} from "./helpers.js";
import { roomyProgram } from "./program.js";

const FRAME = fromHex(`020000000007020000000032${"1234"}${"68656c6c6f"}`)!;

const ENTRIES = [{ kind: "tableEntry", table: "TheIngress.destinations" }] as const;

function makeSwitch(program?: Program): Switch {
  return new Switch(program, { clock: new ManualClock(), cpuPort: 255, transmit: () => {} });
}

/** A bare stream that records the messages that it gets. */
function listen(address: string) {
  const stream: Stream = openChannel(address).openStream();
  const heard: StreamMessageResponse["update"][] = [];
  const state = { ended: false };
  stream.on("data", (message: StreamMessageResponse) => void heard.push(message.update));
  stream.on("error", () => {
    state.ended = true;
  });
  stream.on("end", () => {
    state.ended = true;
  });
  const send = (update: StreamMessageRequest["update"]): boolean => {
    const message = create(StreamMessageRequestSchema);
    message.update = update;
    return stream.write(message);
  };
  const claim = (id: bigint): void => {
    const value = { $typeName: "p4.v1.MasterArbitrationUpdate" as const, deviceId: 1n };
    send({ case: "arbitration", value: { ...value, electionId: electionIdMessage(id) } });
  };
  /** Code and election id of the last arbitration update. */
  const last = (): string => {
    const update = heard.findLast((each) => each.case === "arbitration");
    return update?.case === "arbitration"
      ? `${update.value.status!.code} of ${update.value.electionId?.low}`
      : "nothing";
  };
  return { stream, heard, state, send, claim, last };
}

it("keeps fifty controllers: one primary at a time, each informed of each change, no stream lost", async () => {
  const server = await startServer(makeSwitch(roomyProgram()));
  const all = Array.from({ length: 50 }, () => listen(server.address));
  for (const [i, each] of all.entries()) each.claim(BigInt(i + 1));
  let highest = 50n;
  const [OK, NOT_FOUND, ALREADY_EXISTS] = [0, 5, 6];
  const told = (primary: (typeof all)[number], alive: typeof all): boolean =>
    alive.every((each) => each.last() === `${each === primary ? OK : ALREADY_EXISTS} of ${highest}`);
  let alive = all;
  await until(() => told(alive.at(-1)!, alive));
  for (let round = 0; round < 10; round++) {
    // the primary leaves: all others learn that there is none
    const primary = alive.at(-1)!;
    primary.stream.end();
    alive = alive.slice(0, -1);
    await until(() => alive.every((each) => each.last() === `${NOT_FOUND} of ${highest}`));
    // one of them claims the role, and it alone gets it
    highest++;
    alive.at(-1)!.claim(highest);
    await until(() => told(alive.at(-1)!, alive));
  }
  expect(alive.map((each) => each.state.ended)).toEqual(alive.map(() => false));
  expect(alive).toHaveLength(40);
});

it("serves fifty clients that read and claim at once, and only the primary's writes", async () => {
  const server = await startServer(makeSwitch(roomyProgram()));
  const clients = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      startClient(server.address, { electionId: BigInt(100 + i) }).catch(() => null),
    ),
  );
  // a claim below the highest id so far was refused; the last one is primary
  const primaries = clients.filter((client) => client?.isPrimary);
  await until(() => clients.filter((client) => client?.isPrimary).length === 1);
  expect(primaries.length).toBeGreaterThan(0);
  const entries = Array.from({ length: 200 }, (_, i) => destination(i));
  const outcomes = await Promise.all(
    clients.map((client) =>
      client === null
        ? "absent"
        : client.write(entries.slice(0, 100)).then(
            () => "written",
            (error) => error.code as string,
          ),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === "written")).toHaveLength(1);
  expect(new Set(outcomes)).toEqual(
    new Set(["written", "PERMISSION_DENIED", "absent"].filter((o) => outcomes.includes(o))),
  );
});

/** Carries bytes between a client and a server until the connections are cut. */
async function cable(to: string): Promise<{ address: string; cut: () => void; server: Server }> {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(`tcp://${to}`);
  const server = createServer((near) => {
    const far = dial(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const { port: own } = server.address() as { port: number };
  return { address: `127.0.0.1:${own}`, cut, server };
}

it("comes back after cut connections and writes on", async () => {
  const device = makeSwitch(roomyProgram());
  const server = await startServer(device);
  const line = await cable(server.address);
  const notices: Notice["kind"][] = [];
  const client = await startClient(line.address, { onNotice: (notice) => notices.push(notice.kind) });
  for (let i = 0; i < 5; i++) {
    await client.write([destination(i)]);
    line.cut();
    await until(() => notices.includes("disconnected"));
    expect((await refusal(client.write([destination(100)]))).code).toBe("UNAVAILABLE");
    await client.whenPrimary(5000);
    notices.length = 0;
  }
  expect(await client.read(ENTRIES)).toHaveLength(5);
});

it("loads the program again when the switch has been restarted, and repairs the state", async () => {
  const first = await serve(makeSwitch(), { address: "127.0.0.1:0" });
  const desired = Array.from({ length: 20 }, (_, i) => destination(i).entity);
  const seen: string[] = [];
  const client = await startClient(first.address, {
    onReconnect: async (device) => {
      seen.push(device.program === undefined ? "no program" : "program");
      if (device.program === undefined) await device.load(roomyProgram());
      await reconcile(device, desired);
    },
  });
  await client.load(roomyProgram());
  await reconcile(client, desired);
  await first.close();
  await until(() => !client.isPrimary);
  expect((await refusal(client.whenPrimary(50))).code).toBe("DEADLINE_EXCEEDED");
  const device = makeSwitch();
  const waiting = client.whenPrimary(10_000);
  await startServer(device, { address: first.address });
  await waiting;
  expect(seen).toEqual(["no program"]);
  expect(await device.read(ENTRIES)).toHaveLength(20);
  expect(await reconcile(client, desired)).toEqual([]);
});

const at = (path: string): string => pathToFileURL(join(import.meta.dirname, path)).href;

/** A controller as a process of its own, to be killed: loads a program, writes entries, stays primary. */
const CONTROLLER = `
const { connect } = await import("${at("../../../src/toolchain/p4runtime/index.ts")}");
const { destination, roomyProgram } = await import("${at("program.ts")}");
const device = await connect(process.argv.at(-1), { batchSize: 50 });
await device.load(roomyProgram());
for (let i = 0; i < 900; i += 50) {
  await device.write(Array.from({ length: 50 }, (_, k) => destination(i + k, i % 7)));
  process.stdout.write("written ");
}
setInterval(() => {}, 1000);
`;

it("continues after a controller is killed; the next one finds what it wrote and repairs it", async () => {
  const device = makeSwitch();
  const server = await startServer(device);
  // 50 entries a Write, each Write whole or not at all
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", CONTROLLER, server.address],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout!, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const next = await startClient(server.address, { takeOver: true });
  const found = await next.read(ENTRIES);
  expect(found.length).toBeGreaterThan(0);
  expect(found.length % 50).toBe(0);
  const desired = Array.from({ length: 60 }, (_, i) => destination(i + 20, 5).entity);
  await reconcile(next, desired);
  expect(await reconcile(next, desired)).toEqual([]);
  expect(await device.read(ENTRIES)).toHaveLength(60);
});

it("drops packets for a controller that does not read, and serves the others", async () => {
  const device = makeSwitch(roomyProgram());
  const server = await startServer(device);
  const slow = listen(server.address);
  slow.claim(1n);
  await until(() => slow.last() === "0 of 1");
  slow.stream.pause();
  const payload = new Uint8Array(1400);
  payload.set(FRAME);
  for (let round = 0; round < 30; round++) {
    for (let i = 0; i < 1000; i++) device.receive(2, payload);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // a controller of another role is served meanwhile
  const other = await startClient(server.address, { role: "other" });
  await other.write([destination(1)]);
  let packets = 0;
  other.watch(() => void packets++);
  for (let i = 0; i < 10; i++) device.receive(2, FRAME);
  await until(() => packets === 10);
  slow.stream.resume();
  // arbitration is never lost: the end of a primary's time reaches even the slow one
  const taker = await startClient(server.address, { takeOver: true });
  await until(() => slow.last() === "6 of 2");
  expect(slow.heard.length).toBeLessThan(30_000);
  expect(taker.isPrimary).toBe(true);
});

it("refuses messages that are too large, and serves on", async () => {
  const { client, server } = await startPair({ serve: { maxMessageBytes: 4 << 20 } });
  const channel = openChannel(server.address);
  const huge = create(WriteRequestSchema, { deviceId: 1n, role: "x".repeat(5 << 20) });
  expect(await codeOf(channel.write(huge))).toBe("RESOURCE_EXHAUSTED");
  const stream = listen(server.address);
  stream.send({ case: "packet", value: create(PacketOutSchema, { payload: new Uint8Array(5 << 20) }) });
  await until(() => stream.state.ended);
  await client.write([destination(1)]);
  expect(await client.read(ENTRIES)).toHaveLength(1);
});

it("serves on after many messages that it must refuse", async () => {
  const { client, server, device } = await startPair();
  const flood = listen(server.address);
  for (let i = 0; i < 5000; i++) {
    flood.send({ case: "packet", value: create(PacketOutSchema, { payload: FRAME }) });
    if (i % 7 === 0) flood.send({ case: undefined });
  }
  await until(() => flood.heard.length > 4000);
  expect(new Set(flood.heard.map((update) => update.case))).toEqual(new Set(["error"]));
  expect(device.packets).toEqual([]);
  // streams that come and go without a word
  for (let i = 0; i < 300; i++) {
    const stream = openChannel(server.address).openStream();
    stream.on("error", () => {});
    if (i % 2 === 0) stream.cancel();
  }
  await client.write([destination(1)]);
  expect(client.isPrimary).toBe(true);
});

it("ends the stream of a controller that claims without end and does not read, and tells the others", async () => {
  const server = await startServer(makeSwitch(roomyProgram()));
  const [flood, other] = [listen(server.address), listen(server.address)];
  flood.claim(5n);
  await until(() => flood.last() === "0 of 5");
  other.claim(3n);
  await until(() => other.last() === "6 of 5");
  flood.stream.pause();
  for (let i = 0; i < 15_000; i++) {
    flood.claim(5n);
    if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  // No primary is left.
  await until(() => other.last() === "5 of 5");
  other.claim(6n);
  await until(() => other.last() === "0 of 6");
});
