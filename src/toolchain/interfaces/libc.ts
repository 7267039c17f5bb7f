/**
 * The C library, called through koffi. koffi is loaded when the first interface or socket is opened; everything else in p4loom works
 * without it. Constants of Linux's headers are defined here once, for little-endian machines with 64 bits.
 */
import { createRequire } from "node:module";
import { fail } from "../../base/index.js";
import { CODES } from "./codes.js";

/** A C function. Pointers are typed arrays, or addresses. */
type Call<Arguments extends unknown[], Result> = ((...args: Arguments) => Result) & {
  async(...args: [...Arguments, (error: unknown, result: Result) => void]): void;
};
type Memory = Uint8Array | Uint32Array | BigUint64Array | null;

export interface Libc {
  socket: Call<[family: number, type: number, protocol: number], number>;
  bind: Call<[fd: number, address: Memory, length: number], number>;
  connect: Call<[fd: number, address: Memory, length: number], number>;
  listen: Call<[fd: number, backlog: number], number>;
  accept: Call<[fd: number, address: Memory, length: Memory, flags: number], number>;
  getsockname: Call<[fd: number, address: Memory, length: Memory], number>;
  getpeername: Call<[fd: number, address: Memory, length: Memory], number>;
  shutdown: Call<[fd: number, how: number], number>;
  setsockopt: Call<[fd: number, level: number, name: number, value: Memory, length: number], number>;
  getsockopt: Call<[fd: number, level: number, name: number, value: Memory, length: Memory], number>;
  ioctl: Call<[fd: number, request: number, argument: Memory], number>;
  recv: Call<[fd: number, buffer: Memory, length: number, flags: number], number>;
  send: Call<[fd: number, bytes: Memory, length: number, flags: number], number>;
  recvmmsg: Call<[fd: number, messages: Memory, count: number, flags: number, timeout: Memory], number>;
  sendmmsg: Call<[fd: number, messages: Memory, count: number, flags: number], number>;
  epollCreate: Call<[flags: number], number>;
  epollControl: Call<[epoll: number, operation: number, fd: number, event: Memory], number>;
  epollWait: Call<[epoll: number, events: Memory, count: number, timeoutMs: number], number>;
  read: Call<[fd: number, buffer: Memory, length: number], number>;
  write: Call<[fd: number, bytes: Memory, length: number], number>;
  timerCreate: Call<[clock: number, flags: number], number>;
  timerSet: Call<[fd: number, flags: number, setting: Memory, old: Memory], number>;
  close: Call<[fd: number], number>;
  setns: Call<[fd: number, kind: number], number>;
  /** The number of the error with which the last call failed; see {@link errorName}. */
  errno(): number;
  errorName(errno: number): string;
  /**
   * The address of the memory of a typed array. An address does not keep the memory alive: {@link holding} does, or a
   * field of the object that uses the address.
   */
  address(memory: Uint8Array): bigint;
  /** Symbols of the Node binary itself; those of libuv are among them. */
  native: Native;
}

/** What is used of koffi other than plain functions. */
export interface Native {
  func(definition: string): (...args: unknown[]) => unknown;
  /** A C function pointer `void (void *, int, int)` that calls `fn`. It must not be released before its last call. */
  callback(fn: () => void): bigint;
  release(callback: bigint): void;
}

export const AF_PACKET = 17;
export const AF_NETLINK = 16;
export const AF_INET = 2;
export const AF_INET6 = 10;
export const SOCK_STREAM = 1;
export const SOCK_RAW = 3;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;
export const SOL_SOCKET = 1;
export const SOL_PACKET = 263;
export const ERROR = {
  EPERM: 1,
  ENOENT: 2,
  EINTR: 4,
  EAGAIN: 11,
  EINVAL: 22,
  ENODEV: 19,
  EINPROGRESS: 115,
} as const;

/** Machines whose C structures have the layout that this room relies on. */
const MACHINES: readonly string[] = ["x64", "arm64", "riscv64", "loong64"];

interface Koffi {
  load(path: null): { func(definition: string): (...args: unknown[]) => unknown };
  errno(): number;
  os: { errno: Record<string, number> };
  address(memory: Uint8Array): bigint;
  proto(definition: string): unknown;
  pointer(type: unknown): unknown;
  register(fn: () => void, type: unknown): bigint;
  unregister(callback: bigint): void;
}

/** Memory that does not move, so that its address can be handed over (V8 moves small typed arrays). */
export function memory(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(bytes));
}

/**
 * Runs a call that uses addresses of some memory. The garbage collector does not free that memory before the call is
 * over.
 */
export function holding<T>(held: readonly Uint8Array[], call: () => T): T {
  for (const each of held) holds.add(each);
  try {
    return call();
  } finally {
    for (const each of held) holds.delete(each);
  }
}

const holds = new Set<Uint8Array>();

let loaded: Libc | undefined;

/** Why interfaces cannot be opened here; undefined when they can. Permissions are not checked. */
export function missing(): { reason: string; note: string } | undefined {
  if (process.platform !== "linux") {
    const reason = `network interfaces need Linux, and this is ${process.platform}`;
    return { reason, note: "ports of pcap files work everywhere: --use-files 0" };
  }
  if (!MACHINES.includes(process.arch)) {
    return {
      reason: `network interfaces are not available on ${process.arch}`,
      note: `they are on ${MACHINES.join(", ")}`,
    };
  }
  try {
    loaded ??= load();
    return undefined;
  } catch (error) {
    const [message] = String((error as Error).message).split("\n");
    return {
      reason: `network interfaces need the optional package koffi, which cannot be loaded: ${message}`,
      note: "npm install koffi (it comes with p4loom unless npm was told --omit=optional)",
    };
  }
}

/** Fails with P40020 where interfaces cannot be opened. */
export function libc(): Libc {
  const why = missing();
  if (why !== undefined) fail(CODES.unavailable, undefined, why.reason, why.note);
  return loaded!;
}

/** The error with which the last call failed, or another one by its number; its `code` is the name of the error. */
export function systemError(c: Libc, call: string, errno = c.errno()): NodeJS.ErrnoException {
  const code = c.errorName(errno);
  return Object.assign(new Error(`${call}: ${code}`), { code });
}

function load(): Libc {
  const koffi = createRequire(import.meta.url)("koffi") as Koffi;
  const self = koffi.load(null);
  const func = (definition: string) => self.func(definition) as never;
  const names = new Map(Object.entries(koffi.os.errno).map(([name, number]) => [number, name]));
  let ready: unknown;
  return {
    socket: func("int socket(int, int, int)"),
    bind: func("int bind(int, void *, uint)"),
    connect: func("int connect(int, void *, uint)"),
    listen: func("int listen(int, int)"),
    accept: func("int accept4(int, void *, void *, int)"),
    getsockname: func("int getsockname(int, void *, void *)"),
    getpeername: func("int getpeername(int, void *, void *)"),
    shutdown: func("int shutdown(int, int)"),
    setsockopt: func("int setsockopt(int, int, int, void *, uint)"),
    getsockopt: func("int getsockopt(int, int, int, void *, void *)"),
    ioctl: func("int ioctl(int, ulong, void *)"),
    recv: func("long recv(int, void *, ulong, int)"),
    send: func("long send(int, void *, ulong, int)"),
    recvmmsg: func("int recvmmsg(int, void *, uint, int, void *)"),
    sendmmsg: func("int sendmmsg(int, void *, uint, int)"),
    epollCreate: func("int epoll_create1(int)"),
    epollControl: func("int epoll_ctl(int, int, int, void *)"),
    epollWait: func("int epoll_wait(int, void *, int, int)"),
    read: func("long read(int, void *, ulong)"),
    write: func("long write(int, void *, ulong)"),
    timerCreate: func("int timerfd_create(int, int)"),
    timerSet: func("int timerfd_settime(int, int, void *, void *)"),
    close: func("int close(int)"),
    setns: func("int setns(int, int)"),
    errno: () => koffi.errno(),
    errorName: (errno) => names.get(errno) ?? `errno ${errno}`,
    address: (memory) => koffi.address(memory),
    native: {
      func: (definition) => self.func(definition),
      callback: (fn) => {
        ready ??= koffi.pointer(koffi.proto("void p4loom_ready(void *, int, int)"));
        return koffi.register(fn, ready);
      },
      release: (callback) => koffi.unregister(callback),
    },
  };
}
