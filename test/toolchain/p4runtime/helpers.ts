/** The program of test/golden/cpu, and servers and clients around a memory device that clean up after themselves. */
import { onTestFinished } from "vitest";
import { type Device, DeviceError, type StatusCode } from "../../../src/toolchain/device/index.js";
import { P4RuntimeChannel } from "../../../src/toolchain/p4runtime/client/channel.js";
import { CURRENT_DIALECT } from "../../../src/toolchain/p4runtime/codec/ports.js";
import { makeWire, type Wire } from "../../../src/toolchain/p4runtime/codec/wire.js";
import {
  type ConnectOptions,
  connect,
  type ServeOptions,
  serve,
} from "../../../src/toolchain/p4runtime/index.js";
import { P4InfoIndex, type Program } from "../../../src/toolchain/program/index.js";
import { MemoryDevice } from "./memory-device.js";
import { cpuProgram } from "./program.js";

export { cpuProgram, destination } from "./program.js";

export function wireOf(program: Program, lenient = false): Wire {
  return makeWire(new P4InfoIndex(program.p4info), CURRENT_DIALECT, lenient);
}

export async function startServer(device: Device = new MemoryDevice(), options: ServeOptions = {}) {
  const server = await serve(device, { address: "127.0.0.1:0", ...options });
  onTestFinished(() => server.close());
  return server;
}

export async function startClient(address: string, options: ConnectOptions = {}) {
  const client = await connect(address, { timeoutMs: 30_000, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The bare protocol, for requests that our client would not make. */
export function openChannel(address: string): P4RuntimeChannel {
  const channel = new P4RuntimeChannel(address, { maxMessageBytes: 1 << 26, timeoutMs: 30_000 });
  onTestFinished(() => channel.close());
  return channel;
}

/** A server with the program loaded, and its primary. */
export async function startPair(options: { serve?: ServeOptions; connect?: ConnectOptions } = {}) {
  const device = new MemoryDevice();
  await device.load(cpuProgram());
  const server = await startServer(device, options.serve);
  const client = await startClient(server.address, options.connect);
  return { device, server, client };
}

/** What a promise or call is refused with. */
export async function refusal(task: Promise<unknown> | (() => unknown)): Promise<DeviceError> {
  try {
    await (typeof task === "function" ? task() : task);
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

export async function codeOf(task: Promise<unknown> | (() => unknown)): Promise<StatusCode> {
  return (await refusal(task)).code;
}

/** Waits until a condition holds: for what comes over a stream. */
export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  if (!condition()) throw new Error("waited in vain");
}
