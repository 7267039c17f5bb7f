/** The network that a test is played on, whoever runs its switches. */
import type { Device, DeviceEvent } from "../device/index.js";
import type { TestHost } from "./test-host.js";

export interface TestNetwork {
  readonly hosts: ReadonlyMap<string, TestHost>;
  /** Nanoseconds that what is expected may take longer, since real machines have other work; 0 in virtual time. */
  readonly patienceNs: number;
  /** Names of all switches. */
  switches(): readonly string[];
  device(name: string): Device;
  /** Calls back for what the switch says on its own; returns how to stop. */
  watch(name: string, listener: (event: DeviceEvent) => void): () => void;
  /** Nanoseconds since the network started. */
  now(): number;
  /** Calls `fn` at a time; {@link run} must be running then. */
  at(time: number, fn: () => void): void;
  /** Lets so many nanoseconds pass. With `done`, real switches end their work first; it ends sooner when `done` is true before. */
  run(ns: number, done?: () => boolean): Promise<void>;
  /** Takes all links between two nodes down, or up again; both ends notice. */
  setLink(a: string, b: string, up: boolean): Promise<void>;
  /** Frames that each port of a switch has sent so far, by names such as `s1-p2`. */
  sent(): Promise<ReadonlyMap<string, number>>;
  /** Whether processes of the network had to wait for this machine, so that what was seen may be its doing. */
  wasLate(): boolean;
  close(): Promise<void>;
}

/** The name of a switch's port, as the topology writes it. */
export function portName(node: string, port: number): string {
  return `${node}-p${port}`;
}
