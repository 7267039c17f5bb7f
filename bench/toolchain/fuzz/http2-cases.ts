/**
 * Cases of the HTTP/2 fuzzer: a client's frames, right and wrong, in pieces of any size, to one connection of the P4Runtime
 * server's transport. What comes back is read by rules of its own: frames and header blocks are whole, streams follow their
 * states, no window is overdrawn, each call's handler hears of its end once, and a connection that was not closed still answers.
 */
import { Duplex } from "node:stream";
import type { Random } from "../../../src/base/index.js";
import type { CallHandler } from "../../../src/toolchain/p4runtime/grpc/call.js";
import { type Method, serveRequest } from "../../../src/toolchain/p4runtime/grpc/calls.js";
import { Connection } from "../../../src/toolchain/p4runtime/grpc/connection.js";
import {
  FLAG,
  FRAME,
  frame,
  PREFACE,
  SETTING,
  settingsFrame,
  WINDOW_BYTES,
  wordFrame,
} from "../../../src/toolchain/p4runtime/grpc/frames.js";
import { encodeHeaders, type Header, HeaderDecoder } from "../../../src/toolchain/p4runtime/grpc/hpack.js";
import type { FuzzCase } from "./runner.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const MAX_BYTES = 100_000;

/** The client's end of a connection in memory. */
class Pipe extends Duplex {
  readonly chunks: Buffer[] = [];
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}

/** What the handlers of calls were told, and the faults in it. */
class Witness {
  readonly faults: string[] = [];
  readonly open = new Set<string>();
  #calls = 0;

  #watch(): { name: string; over(): void } {
    const name = `call ${this.#calls++}`;
    this.open.add(name);
    return {
      name,
      over: () => {
        if (!this.open.delete(name)) this.faults.push(`${name} was over twice`);
      },
    };
  }

  readonly methods: ReadonlyMap<string, Method> = new Map<string, Method>([
    ["/t/Echo", { kind: "unary", handle: (bytes) => this.#unary(async () => bytes) }],
    ["/t/Late", { kind: "unary", handle: (bytes) => this.#unary(() => turn().then(() => bytes)) }],
    ["/t/Fail", { kind: "unary", handle: () => this.#unary(() => Promise.reject(new Error("no"))) }],
    [
      "/t/Many",
      {
        kind: "serverStream",
        handle: async (bytes, call) => {
          const call_ = this.#watch();
          for (let i = 0; i < (bytes[0] ?? 0) && !call.cancelled; i++)
            if (!call.write(new Uint8Array(3000))) await call.drained();
          call_.over();
          return undefined;
        },
      },
    ],
    [
      "/t/Join",
      {
        kind: "clientStream",
        handle: async (messages) => {
          const call = this.#watch();
          const parts: Uint8Array[] = [];
          try {
            for await (const part of messages) parts.push(part);
          } finally {
            call.over();
          }
          return Buffer.concat(parts);
        },
      },
    ],
    ["/t/Both", { kind: "duplex", handle: (call) => this.#duplex(call) }],
  ]);

  async #unary(work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const call = this.#watch();
    return work().finally(() => call.over());
  }

  #duplex(call: { write(bytes: Uint8Array): boolean; succeed(): void }): CallHandler {
    const watched = this.#watch();
    let isOver = false;
    const over = (): void => {
      isOver = true;
      watched.over();
    };
    return {
      message: (bytes) => {
        if (isOver) this.faults.push(`${watched.name} got a message after its end`);
        call.write(bytes);
      },
      ended: () => {
        over();
        call.succeed();
      },
      cancel: over,
    };
  }
}

interface Sent {
  type: number;
  flags: number;
  stream: number;
  payload: Uint8Array;
}

const message = (bytes: Uint8Array, flag = 0): Buffer => {
  const out = Buffer.alloc(5 + bytes.length);
  out[0] = flag;
  out.writeUInt32BE(bytes.length, 1);
  out.set(bytes, 5);
  return out;
};

const PATHS = ["/t/Echo", "/t/Late", "/t/Fail", "/t/Many", "/t/Join", "/t/Both", "/t/None"];

function randomBytes(random: Random, most: number): Uint8Array {
  return Uint8Array.from({ length: random.int(most + 1) }, () => random.int(256));
}

function pick<T>(random: Random, of: readonly T[]): T {
  return of[random.int(of.length)]!;
}

/** A client: how often it breaks a rule, and which of its streams it has not ended. */
interface Peer {
  readonly random: Random;
  readonly wrongness: number;
  next: number;
  open: number[];
}

const errs = ({ random, wrongness }: Peer): boolean => random.float() < wrongness;

/** Headers of a request; a wrong block has a field that is wrong, twice, absent or at the wrong place, or changed bytes. */
function headerBlock(peer: Peer): Uint8Array {
  const { random } = peer;
  const headers: Header[] = [
    [":method", "POST"],
    [":scheme", "http"],
    [":path", pick(random, PATHS)],
    ["te", "trailers"],
    ["content-type", "application/grpc"],
  ];
  if (random.int(8) === 0) headers.push(["grpc-timeout", pick(random, ["1n", "99999999H", "x", "0S"])]);
  if (random.int(8) === 0) headers.push(["grpc-encoding", pick(random, ["gzip", "deflate", "br"])]);
  if (errs(peer)) headers.push(["content-length", pick(random, ["0", "5", "70", "-1"])]);
  if (errs(peer)) {
    const wrong: Header[] = [
      [":status", "200"],
      ["Te", "x"],
      ["connection", "close"],
      ["te", "gzip"],
      ["", ""],
    ];
    headers.splice(random.int(headers.length + 1), 0, pick(random, [...wrong, ...headers]));
  }
  if (errs(peer)) headers.splice(random.int(headers.length), 1);
  const block = Buffer.from(encodeHeaders(headers));
  if (errs(peer)) block[random.int(block.length)] = random.int(256);
  return errs(peer) ? randomBytes(random, 60) : block;
}

function request(peer: Peer): Sent[] {
  const { random } = peer;
  const stream = peer.next;
  peer.next += 2;
  const block = headerBlock(peer);
  const cut = random.int(4) === 0 ? random.int(Math.max(1, block.length)) : block.length;
  const isWhole = cut === block.length;
  const frames: Sent[] = [
    { type: FRAME.HEADERS, flags: isWhole ? FLAG.END_HEADERS : 0, stream, payload: block.slice(0, cut) },
  ];
  if (!isWhole)
    frames.push({ type: FRAME.CONTINUATION, flags: FLAG.END_HEADERS, stream, payload: block.slice(cut) });
  peer.open.push(stream);
  if (random.int(5) > 0) frames.push(body(peer, stream));
  return frames;
}

/** DATA on a stream, perhaps the last. */
function body(peer: Peer, stream: number): Sent {
  const { random } = peer;
  const isEnd = random.int(2) === 0;
  if (isEnd) peer.open = peer.open.filter((one) => one !== stream);
  let payload: Uint8Array = message(randomBytes(random, 80), random.int(12) === 0 ? 1 : 0);
  if (random.int(6) === 0) payload = message(new Uint8Array(random.int(16_000)));
  // A part of a message, or two at once.
  if (random.int(6) === 0) payload = payload.slice(0, random.int(payload.length + 1));
  if (random.int(6) === 0) payload = Buffer.concat([payload, payload.slice(0, 10)]);
  return { type: FRAME.DATA, flags: isEnd ? FLAG.END_STREAM : 0, stream, payload };
}

const SIZES = { window: [1, 1000, 100_000], frame: [16_384, 65_535, 1 << 20] } as const;
const WRONG_SIZES = [0, 1, 100, 2 ** 31 - 1, 2 ** 31];

/** The next frames of a client. */
function nextFrames(peer: Peer): Sent[] {
  const { random } = peer;
  // A stream that was opened, ended or not; a wrong client also takes one that was not.
  const used = (): number => 2 * random.int((peer.next - 1) / 2 + (errs(peer) ? 1 : 0)) + 1;
  const one = (type: number, flags: number, stream: number, payload: Uint8Array): Sent[] => [
    { type, flags, stream, payload },
  ];
  if (peer.next === 1 || random.int(3) === 0) return request(peer);
  const open = errs(peer) || peer.open.length === 0 ? undefined : pick(random, peer.open);
  switch (random.int(8)) {
    case 0:
    case 1:
      return [body(peer, open ?? (errs(peer) ? used() : peer.next))].filter(
        ({ stream }) => stream < peer.next,
      );
    case 2: {
      const stream = used();
      peer.open = peer.open.filter((each) => each !== stream);
      return one(FRAME.RST_STREAM, 0, stream, Uint8Array.of(0, 0, 0, random.int(20)));
    }
    case 3: {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(pick(random, errs(peer) ? WRONG_SIZES : SIZES.window));
      return one(FRAME.WINDOW_UPDATE, 0, random.int(2) === 0 ? 0 : used(), bytes);
    }
    case 4: {
      const setting = pick(random, [1, SETTING.INITIAL_WINDOW_SIZE, SETTING.MAX_FRAME_SIZE, 99]);
      const right = setting === SETTING.MAX_FRAME_SIZE ? SIZES.frame : [0, ...SIZES.window];
      const value = pick(random, errs(peer) ? WRONG_SIZES : right);
      return one(FRAME.SETTINGS, 0, 0, settingsFrame([[errs(peer) ? 2 : setting, value]]).subarray(9));
    }
    case 5:
      return one(FRAME.PING, random.int(2), 0, new Uint8Array(errs(peer) ? 7 : 8));
    case 6: {
      if (open === undefined) return [];
      peer.open = peer.open.filter((each) => each !== open);
      const end = errs(peer) ? 0 : FLAG.END_STREAM;
      return one(FRAME.HEADERS, FLAG.END_HEADERS | end, open, encodeHeaders([["x-trailer", "1"]]));
    }
    default:
      if (errs(peer))
        return one(random.int(12), random.int(256), random.int(peer.next + 2), randomBytes(random, 30));
      return one(FRAME.PRIORITY, 0, used(), new Uint8Array(errs(peer) ? 4 : 5));
  }
}

/** The most that the server may send by what the client allowed, as if every frame of the client had been taken. */
class Allowance {
  connection = WINDOW_BYTES;
  #initial = WINDOW_BYTES;
  readonly #streams = new Map<number, number>();
  frameBytes = 16_384;

  note({ type, flags, stream, payload }: Sent): void {
    const bytes = Buffer.from(payload);
    if (type === FRAME.WINDOW_UPDATE && bytes.length === 4) {
      const more = bytes.readUInt32BE(0) & 0x7fffffff;
      if (stream === 0) this.connection += more;
      else this.#streams.set(stream, (this.#streams.get(stream) ?? 0) + more);
    }
    if (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0) return;
    for (let at = 0; at + 6 <= bytes.length; at += 6) {
      const value = bytes.readUInt32BE(at + 2);
      if (bytes.readUInt16BE(at) === SETTING.INITIAL_WINDOW_SIZE)
        this.#initial = Math.max(this.#initial, value);
      if (bytes.readUInt16BE(at) === SETTING.MAX_FRAME_SIZE)
        this.frameBytes = Math.max(this.frameBytes, value);
    }
  }

  of(stream: number): number {
    return this.#initial + (this.#streams.get(stream) ?? 0);
  }
}

/** Reads what the server sent; the result is the first fault. */
function faultOf(bytes: Buffer, allowed: Allowance): string | undefined {
  const decoder = new HeaderDecoder();
  const states = new Map<number, "open" | "ended" | "reset">();
  const sent = new Map<number, number>();
  let block: { stream: number; flags: number; parts: Buffer[] } | undefined;
  let total = 0;
  for (let at = 0; at < bytes.length; ) {
    if (at + 9 > bytes.length) return "a cut frame header";
    const length = bytes.readUIntBE(at, 3);
    const [type, flags, stream] = [bytes[at + 3]!, bytes[at + 4]!, bytes.readUInt32BE(at + 5)];
    const payload = bytes.subarray(at + 9, at + 9 + length);
    if (at === 0 && type !== FRAME.SETTINGS) return "the first frame is not SETTINGS";
    at += 9 + length;
    if (payload.length < length) return "a cut frame";
    if (length > allowed.frameBytes) return `a frame of ${length} bytes`;
    if (block !== undefined && (type !== FRAME.CONTINUATION || stream !== block.stream))
      return "a block not continued";
    const state = states.get(stream);
    if (type === FRAME.DATA) {
      if (state !== "open") return `DATA on a stream that is ${state}`;
      total += length;
      sent.set(stream, (sent.get(stream) ?? 0) + length);
      if (total > allowed.connection) return "the window of the connection is overdrawn";
      if (sent.get(stream)! > allowed.of(stream)) return `the window of stream ${stream} is overdrawn`;
    } else if (type === FRAME.HEADERS) {
      if (state === "ended" || state === "reset") return `HEADERS on a stream that is ${state}`;
      block = { stream, flags, parts: [payload] };
    } else if (type === FRAME.CONTINUATION) block!.parts.push(payload);
    else if (type === FRAME.RST_STREAM) {
      if (stream === 0 || length !== 4) return "a wrong RST_STREAM";
      states.set(stream, "reset");
    } else if (type === FRAME.GOAWAY) {
      if (stream !== 0 || length < 8) return "a wrong GOAWAY";
      if (at < bytes.length) return "frames after GOAWAY";
    } else if (![FRAME.SETTINGS, FRAME.PING, FRAME.WINDOW_UPDATE].includes(type as never))
      return `type ${type}`;
    if (block !== undefined && (flags & FLAG.END_HEADERS) !== 0) {
      const { headers } = decoder.decode(Buffer.concat(block.parts), 1e6);
      const isEnd = (block.flags & FLAG.END_STREAM) !== 0;
      if ((headers[0]?.[0] === ":status") !== (state === undefined)) return "a status at the wrong place";
      if (state !== undefined && !isEnd) return "trailers without an end";
      states.set(stream, isEnd ? "ended" : "open");
      block = undefined;
    }
  }
  return block === undefined ? undefined : "a header block without end";
}

const PROBE = Buffer.from("are you?");

async function play(random: Random, wire: Buffer, allowed: Allowance): Promise<string | undefined> {
  const pipe = new Pipe();
  const witness = new Witness();
  let closed = 0;
  const calls = {
    maxBytes: MAX_BYTES,
    methods: witness.methods,
    statusOf: () => ({ code: 13, details: "an error" }),
  };
  new Connection(pipe, {
    maxStreams: 20,
    maxHeldBytes: 2 * MAX_BYTES,
    keepaliveMs: 2,
    keepaliveTimeoutMs: 1,
    later: () => () => {},
    request: (stream, headers, complete) => serveRequest(calls, stream, headers, complete),
    closed: () => closed++,
  });
  for (let at = 0; at < wire.length && closed === 0; ) {
    const piece = random.int(3) === 0 ? random.int(20) + 1 : random.int(5000) + 1;
    pipe.push(wire.subarray(at, at + piece));
    at += piece;
    if (random.int(4) === 0) await turn();
  }
  for (let i = 0; i < 6; i++) await turn();
  const before = Buffer.concat(pipe.chunks);
  const isOpen = closed === 0;
  // A frame that was cut may take the probe as its payload, so it is sent until it is more than any frame.
  if (isOpen) for (let i = 0; i < 2000; i++) pipe.push(frame(FRAME.PING, 0, 0, PROBE));
  for (let i = 0; i < 4; i++) await turn();
  const all = Buffer.concat(pipe.chunks);
  const isAnswered = closed > 0 || all.subarray(before.length).includes(PROBE);
  pipe.destroy();
  for (let i = 0; i < 20 && (witness.open.size > 0 || closed === 0); i++) await turn();
  if (!isAnswered) return "an open connection does not answer";
  if (closed !== 1) return `closed ${closed} times`;
  if (witness.faults.length > 0) return witness.faults[0];
  if (witness.open.size > 0) return `${[...witness.open][0]} has no end`;
  return faultOf(all, allowed);
}

const WRONGNESS = [0, 0.005, 0.03, 0.2];

/** Frames one by one; `wrong`: some bytes of them are changed. */
const sequence =
  (wrong: boolean): FuzzCase =>
  async (random) => {
    const peer: Peer = { random, wrongness: pick(random, WRONGNESS), next: 1, open: [] };
    const allowed = new Allowance();
    const frames = Array.from({ length: 1 + random.int(60) }, () => nextFrames(peer)).flat();
    const parts: Buffer[] = [Buffer.from(PREFACE), settingsFrame([])];
    for (const sent of frames) {
      const bytes = frame(sent.type, sent.flags, sent.stream, sent.payload);
      if (wrong && random.int(40) === 0) bytes[random.int(bytes.length)] = random.int(256);
      parts.push(bytes);
    }
    const wire = Buffer.concat(parts);
    if (wrong) allowAll(allowed);
    else for (const sent of frames) allowed.note(sent);
    return play(random, wire, allowed);
  };

/** After changed bytes nobody knows what the client allowed. */
function allowAll(allowed: Allowance): void {
  allowed.frameBytes = 2 ** 24;
  allowed.connection = Number.POSITIVE_INFINITY;
  allowed.note({
    type: FRAME.SETTINGS,
    flags: 0,
    stream: 0,
    payload: settingsFrame([[4, 2 ** 32 - 1]]).subarray(9),
  });
}

export const cases: Record<"frames" | "changed" | "headers" | "noise", FuzzCase> = {
  frames: sequence(false),
  changed: sequence(true),
  headers: async (random) => {
    const parts: Buffer[] = [Buffer.from(PREFACE), settingsFrame([])];
    const peer: Peer = { random, wrongness: pick(random, WRONGNESS), next: 1, open: [] };
    for (let stream = 1; stream < 20; stream += 2) {
      const block = random.int(4) > 0 ? headerBlock(peer) : randomBytes(random, 200);
      parts.push(frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, stream, block));
    }
    return play(random, Buffer.concat(parts), new Allowance());
  },
  noise: async (random) => {
    const start = random.int(3) === 0 ? Buffer.alloc(0) : Buffer.concat([PREFACE, settingsFrame([])]);
    const noise = Buffer.from(randomBytes(random, 300));
    const wire = Buffer.concat([start, wordFrame(FRAME.WINDOW_UPDATE, 0, 1000), noise]);
    const allowed = new Allowance();
    allowAll(allowed);
    return play(random, wire, allowed);
  },
};
