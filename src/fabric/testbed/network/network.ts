/**
 * The program that creates hosts and links. Afterwards both kinds are equal: every host is a namespace p4l-ID-HOST, all
 * switch-side interfaces are in p4l-ID, and each end of a link has the name that the spec gives it.
 */
import type { LabSpec, NetworkKind } from "../lab.js";
import { MininetNetwork } from "./mininet.js";
import { NetnsNetwork } from "./netns.js";

export interface Network {
  /** Namespaces, hosts and links; no addresses yet, all interfaces down. */
  build(id: string, spec: LabSpec, stop: AbortSignal): Promise<void>;
  /** Ends the processes that the network needs, if there are any; the janitor removes namespaces. */
  end(): Promise<void>;
}

export function makeNetwork(kind: NetworkKind): Network {
  return kind === "netns" ? new NetnsNetwork() : new MininetNetwork();
}
