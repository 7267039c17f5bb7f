/** The network of a test, with simulated or real switches. */
import type { Device, DeviceEvent } from "../../toolchain/device/index.js";
import type { TestHost } from "./test-host.js";

export interface TestNetwork {
  readonly hosts: ReadonlyMap<string, TestHost>;
  /** Additional time in nanoseconds for expected events, because real machines have other work; 0 in virtual time. */
  readonly patienceNs: number;
  /** Names of all switches. */
  switches(): readonly string[];
  device(name: string): Device;
  /** Calls `listener` for each event of the switch; returns a function that stops this. */
  watch(name: string, listener: (event: DeviceEvent) => void): () => void;
  /** Nanoseconds since the network started. */
  now(): number;
  /** Calls `fn` at a time, at which {@link advance} must be active. */
  at(time: number, fn: () => void): void;
  /**
   * Advances time by `ns` nanoseconds. With `done`, it ends as soon as `done` returns true; real switches complete
   * their work first.
   */
  advance(ns: number, done?: () => boolean): Promise<void>;
  /** Takes all links between two nodes down, or up again; both ends see the change. */
  setLink(a: string, b: string, up: boolean): Promise<void>;
  /** Number of frames that each port of a switch has sent so far, by names such as `s1-p2`. */
  sent(): Promise<ReadonlyMap<string, number>>;
  /**
   * Ports without a link by which a switch sent frames, by names such as `s1-p0`; absent: the network cannot see them, since the kernel
   * of a real switch has no such port.
   */
  strayed?(): readonly string[];
  /** Whether processes of the network had to wait for a processor, so that the machine may have caused the result. */
  wasLate(): boolean;
  close(): Promise<void>;
}

/** The name of a switch's port in the topology. */
export function portName(node: string, port: number): string {
  return `${node}-p${port}`;
}
