/** The parts of a scheme in a lab, in addition to programs and entries: settings, host policies, controllers. */

import type { SelectorCodec } from "../../base/packets/index.js";
import type { HostContext, HostPolicy } from "../../fabric/hosts/index.js";
import type { Host, Simulation, SwitchNode } from "../../fabric/sim/packet/index.js";
import type { Device } from "../../toolchain/device/index.js";

/** Facts about the scheme of a project; they are part of the project, so a page can contain them. */
export interface SchemeFacts {
  readonly label: string;
  /** Names of its controllers. */
  readonly controllers: readonly string[];
  /** Whether its hosts choose paths. */
  readonly hostPolicy: boolean;
  /** Whether switches need settings that P4Runtime does not have: hashes, queues, packet generators. */
  readonly settings: boolean;
  /** Parts of the experiment file that no lab runs, one sentence each. */
  readonly leftOut: readonly string[];
}

/** The scheme itself, for a lab that can run it. Switches and hosts are identified by their names. */
export interface LabScheme {
  /** Maximum length of the queue of each port. */
  readonly queues: { readonly packets: number; readonly bytes: number };
  readonly codec: SelectorCodec;
  policy(context: HostContext): HostPolicy;
  /** Applies the settings of a switch, after its program was loaded and before its entries are written. */
  configure(name: string, device: Device): Promise<void>;
  /** Starts the packet generators of a switch, after its entries were written. */
  complete(name: string, device: Device): Promise<void>;
  /** Waits for one turn of the event loop, in which promises of controllers are resolved. */
  turn(): Promise<void>;
  /** Starts the controllers; undefined if there are none. They become ready only while simulated time advances. */
  control(network: ControlledNetwork): SchemeControl | undefined;
}

/** The access of controllers to a lab. */
export interface ControlledNetwork {
  readonly simulation: Simulation;
  readonly seed: number;
  switch(name: string): SwitchNode;
  host(name: string): Host;
  log(line: string): void;
  /** Called when a controller has failed, after which all of them are stopped. */
  failed(message: string): void;
}

export interface SchemeControl {
  /** Resolves when all controllers are ready for traffic, or have failed. */
  readonly ready: Promise<void>;
  /** Passes a message from the policy of a host to the controllers. */
  tell: (host: string, message: Parameters<HostContext["tell"]>[0]) => void;
  /** Tells the controllers that a switch has stopped, or runs again with its program and its entries. */
  switchRuns(name: string, running: boolean): void;
  close(): void;
}

/** The parts of a scheme that do not run, one sentence each. `running`: the lab runs the scheme. */
export function schemeNotes(facts: SchemeFacts | undefined, running: boolean, instead: string): string[] {
  if (facts === undefined) return [];
  const { label, controllers, hostPolicy, settings, leftOut } = facts;
  const missing = [
    ...(controllers.length > 0 ? [`the controllers (${controllers.join(", ")})`] : []),
    ...(hostPolicy ? ["the path choice of its hosts"] : []),
    ...(settings ? ["settings of hashes and queues, and packet generators"] : []),
  ];
  const absent =
    running || missing.length === 0
      ? []
      : [`These parts of the scheme ${label} do not run here: ${missing.join("; ")}. ${instead}`];
  return [...absent, ...leftOut];
}
