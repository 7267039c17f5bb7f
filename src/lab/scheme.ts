/** What a scheme of an experiment file does in a lab beside programs and entries: settings, host policies, controllers. */
import type { Device } from "../device/index.js";
import type { HostContext, HostPolicy } from "../hosts/index.js";
import type { Host, SelectorCodec, Simulation, SwitchNode } from "../sim/packet/index.js";

/** Facts of the scheme that a project was made with; they are written into a page with it. */
export interface SchemeFacts {
  readonly label: string;
  /** Names of its controllers. */
  readonly controllers: readonly string[];
  /** Whether its hosts choose paths. */
  readonly hostPolicy: boolean;
  /** Whether switches are told more than P4Runtime has: hashes, queues, packet generators. */
  readonly settings: boolean;
  /** What no lab does of the file, one sentence each. */
  readonly leftOut: readonly string[];
}

/** The scheme itself, where the lab can run it. Switches and hosts are called by their names. */
export interface LabScheme {
  /** What may wait at each port. */
  readonly queues: { readonly packets: number; readonly bytes: number };
  readonly codec: SelectorCodec;
  policy(context: HostContext): HostPolicy;
  /** Settings of a switch: after its program was loaded, before its entries are written. */
  configure(name: string, device: Device): Promise<void>;
  /** Packet generators of a switch: when it has its entries. */
  complete(name: string, device: Device): Promise<void>;
  /** One turn of the event loop, in which promises of controllers go on. */
  turn(): Promise<void>;
  /** Starts the controllers; undefined: there are none. Time has to pass until they are ready. */
  control(network: ControlledNetwork): SchemeControl | undefined;
}

/** What controllers get from a lab. */
export interface ControlledNetwork {
  readonly simulation: Simulation;
  readonly seed: number;
  switch(name: string): SwitchNode;
  host(name: string): Host;
  log(line: string): void;
  /** A controller has failed: all of them have ended. */
  failed(message: string): void;
}

export interface SchemeControl {
  /** Resolves when all controllers are ready for traffic, or have failed. */
  readonly ready: Promise<void>;
  /** What the policy of a host tells the controllers. */
  tell: (host: string, message: Parameters<HostContext["tell"]>[0]) => void;
  /** The process of a switch has ended, or runs again with its program and its entries. */
  switchRuns(name: string, running: boolean): void;
  close(): void;
}

/** What of a scheme does not run, one sentence each, for people. `running`: the lab runs the scheme. */
export function schemeNotes(facts: SchemeFacts | undefined, running: boolean, instead: string): string[] {
  if (facts === undefined) return [];
  const { label, controllers, hostPolicy, settings, leftOut } = facts;
  const missing = [
    ...(controllers.length > 0 ? [`the controllers (${controllers.join(", ")})`] : []),
    ...(hostPolicy ? ["what its hosts do to choose paths"] : []),
    ...(settings ? ["settings of hashes and queues, and packet generators"] : []),
  ];
  const absent =
    running || missing.length === 0
      ? []
      : [`Of the scheme ${label} these parts do not run here: ${missing.join("; ")}. ${instead}`];
  return [...absent, ...leftOut];
}
