/** TCP over the loopback interface, watched in Node's event loop. Needs Linux and koffi, no permission. */
import { describe, expect, it, onTestFinished } from "vitest";
import { SocketWatch, TcpSocket } from "../../../src/toolchain/interfaces/index.js";
import { missing } from "../../../src/toolchain/interfaces/libc.js";

const reason = missing()?.reason;
const LOOPBACK = { 4: Uint8Array.of(127, 0, 0, 1), 6: Uint8Array.of(...Array(15).fill(0), 1) } as const;

/** What a socket is ready for, each time that it is. */
function readiness(
  watch: SocketWatch,
  socket: TcpSocket,
  interest: { readable?: boolean; writable?: boolean },
) {
  const waiting: ((ready: [boolean, boolean]) => void)[] = [];
  watch.add(socket, interest, (readable, writable) => waiting.shift()?.([readable, writable]));
  return () => new Promise<[readable: boolean, writable: boolean]>((resolve) => void waiting.push(resolve));
}

function open(family: 4 | 6): TcpSocket {
  const socket = TcpSocket.open(family);
  onTestFinished(() => socket.close());
  return socket;
}

function makeWatch(): SocketWatch {
  const watch = new SocketWatch();
  onTestFinished(() => watch.close());
  return watch;
}

/** A listener at a port that the kernel chooses. */
function listener(family: 4 | 6): TcpSocket {
  const socket = open(family);
  socket.bind(LOOPBACK[family], 0);
  socket.listen(16);
  return socket;
}

/** Both ends of a connection. */
async function connected(watch: SocketWatch, family: 4 | 6): Promise<[client: TcpSocket, server: TcpSocket]> {
  const server = listener(family);
  const arrived = readiness(watch, server, { readable: true });
  const client = open(family);
  client.connect(LOOPBACK[family], server.port);
  await arrived();
  const accepted = server.accept()!;
  onTestFinished(() => accepted.close());
  watch.forget(server);
  return [client, accepted];
}

describe.skipIf(reason !== undefined)(reason === undefined ? "TcpSocket" : `TcpSocket (${reason})`, () => {
  it.each([4, 6] as const)("carries bytes that the other end throws away, IPv%i", async (family) => {
    const watch = makeWatch();
    const [client, server] = await connected(watch, family);
    expect(server.accept()).toBeUndefined();
    expect(server.discard(10)).toBe(-1);
    const writable = readiness(watch, client, { writable: true });
    expect(await writable()).toEqual([false, true]);
    expect(client.error()).toBeUndefined();
    client.sendAtOnce();
    const readable = readiness(watch, server, { readable: true });
    expect(client.send(new Uint8Array(1000), 600)).toBe(600);
    expect(await readable()).toEqual([true, false]);
    expect(server.discard(500)).toBe(500);
    expect(server.discard(500)).toBe(100);
    expect(server.discard(500)).toBe(-1);
    await expect.poll(() => client.unacknowledged()).toBe(0);
    const info = client.info();
    // tcpi_state: established. tcpi_snd_mss: that of the loopback interface, or less.
    expect(info.getUint8(0)).toBe(1);
    expect(info.getUint32(16, true)).toBeGreaterThan(500);
    client.close();
    expect(await readable()).toEqual([true, false]);
    expect(server.discard(500)).toBe(0);
  });

  it("takes no more than there is room for, and reports what waits for an acknowledgement", async () => {
    const watch = makeWatch();
    const [client, server] = await connected(watch, 4);
    const chunk = new Uint8Array(1 << 16);
    let sent = 0;
    for (let taken = -1; taken !== 0; sent += taken) taken = client.send(chunk, chunk.length);
    expect(sent).toBeGreaterThan(chunk.length);
    const queued = client.unacknowledged();
    expect(queued).toBeGreaterThan(0);
    expect(queued).toBeLessThanOrEqual(sent);
    const writable = readiness(watch, client, { writable: true });
    let discarded = 0;
    for (let got = 0; got >= 0; got = server.discard(1 << 20)) discarded += got;
    expect(await writable()).toEqual([false, true]);
    watch.change(client, { readable: true });
    await expect
      .poll(() => {
        for (let got = 0; got >= 0; got = server.discard(1 << 20)) discarded += got;
        return discarded;
      })
      .toBe(sent);
  });

  it("limits the size of segments", async () => {
    const watch = makeWatch();
    const server = listener(4);
    const arrived = readiness(watch, server, { readable: true });
    const client = open(4);
    client.limitSegments(212);
    client.bind(LOOPBACK[4], 0);
    expect(client.port).toBeGreaterThan(0);
    client.connect(LOOPBACK[4], server.port);
    await arrived();
    // With timestamps, which take 12 bytes of each segment, or without.
    expect([200, 212]).toContain(client.info().getUint32(16, true));
  });

  it("reports that a connection was refused, and that it was reset", async () => {
    const watch = makeWatch();
    const nobody = listener(4);
    const { port } = nobody;
    nobody.close();
    const client = open(4);
    client.connect(LOOPBACK[4], port);
    expect(await readiness(watch, client, { readable: true })()).toEqual([true, true]);
    expect(client.error()).toMatchObject({ code: "ECONNREFUSED" });
    expect(client.error()).toBeUndefined();

    const [reset, server] = await connected(watch, 4);
    const readable = readiness(watch, server, { readable: true });
    reset.close(true);
    await readable();
    expect(() => server.discard(10)).toThrow(expect.objectContaining({ code: "ECONNRESET" }));
    expect(() => server.send(new Uint8Array(1), 1)).toThrow(expect.objectContaining({ code: "EPIPE" }));
  });

  it("throws an error with the code of the system where an address is in use, or not there", () => {
    const server = listener(4);
    const other = open(4);
    expect(() => {
      other.bind(LOOPBACK[4], server.port);
      other.listen(1);
    }).toThrow(expect.objectContaining({ code: "EADDRINUSE" }));
    expect(() => open(4).bind(Uint8Array.of(203, 0, 113, 1), 0)).toThrow(
      expect.objectContaining({ code: "EADDRNOTAVAIL" }),
    );
  });

  it("is not reported after its removal", async () => {
    const watch = makeWatch();
    const [client, server] = await connected(watch, 4);
    let told = 0;
    watch.add(server, { readable: true }, () => void told++);
    watch.forget(server);
    watch.forget(server);
    client.send(new Uint8Array(10), 10);
    const end = readiness(watch, client, { writable: true });
    await end();
    await end();
    expect(told).toBe(0);
    expect(server.discard(20)).toBe(10);
  });
});
