/**
 * The program that creates hosts and links. Afterwards both kinds are equal: every host is a namespace p4l-ID-HOST, all
 * switch-side interfaces are in p4l-ID, and each end of a link has the name that the spec gives it.
 */

import type { NetworkKind } from "../lab.js";
import type { Network } from "./lab-network.js";
import { MininetNetwork } from "./mininet.js";
import { NetnsNetwork } from "./netns.js";

export function makeNetwork(kind: NetworkKind): Network {
  return kind === "netns" ? new NetnsNetwork() : new MininetNetwork();
}
