/** A project of a lab: the texts of its files, and how its network is found. It is plain JSON, so that a page can contain it. */
import { parseValue } from "../../toolchain/device/index.js";
import type { SchemeFacts } from "./scheme.js";

export interface LabProject {
  readonly title: string;
  /** Text of each file by its path, with `/` between names, from the project's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Read-only files: they belong to the package, or were generated from other files. */
  readonly readOnly?: readonly string[];
  readonly open: LabSource;
  /** The facts of the scheme, if the project is an experiment file. */
  readonly scheme?: SchemeFacts;
}

export type LabSource =
  /** A folder in the form of the P4 tutorials. Without `topology`, the file is found as `p4loom net` does. */
  | { readonly kind: "exercise"; readonly topology?: string; readonly program?: string }
  /** One switch with four hosts that runs this program. */
  | { readonly kind: "program"; readonly path: string }
  /** The network of an experiment file. */
  | { readonly kind: "plan"; readonly plan: LabPlan };

/** The network of a lab. Addresses are texts in their usual notation. */
export interface LabPlan {
  readonly hosts: readonly PlannedHost[];
  readonly switches: readonly PlannedSwitch[];
  readonly links: readonly PlannedLink[];
}

export interface PlannedHost {
  readonly name: string;
  readonly mac: string;
  readonly ipv4: string;
  readonly prefixLength: number;
  readonly ipv6?: string;
  /** Shell commands; a simulated host carries out those that set routes and neighbours. */
  readonly commands: readonly string[];
  /** MAC addresses of the routers at its ports; absent: the host uses routes and ARP. */
  readonly gateways?: readonly string[];
}

export interface PlannedSwitch {
  readonly name: string;
  /** Path of P4 source or BMv2 JSON; absent: the switch runs no program. */
  readonly program?: string;
  /** Path of the P4Info of a BMv2 JSON. */
  readonly p4info?: string;
  /** Files with its entries: an `sN-runtime.json`, then a file of commands or statements. */
  readonly runtime?: string;
  readonly commands?: string;
  readonly cpuPort?: number;
  readonly priorityQueues?: number;
  /** Distance from the hosts, where the network has tiers. */
  readonly tier?: number;
}

interface PlannedLink {
  readonly a: { readonly node: string; readonly port: number };
  readonly b: { readonly node: string; readonly port: number };
  /** Absent: {@link DEFAULT_LINK}. */
  readonly delayNs?: number;
  readonly rateBps?: number;
}

/** Default of links without figures: like the virtual links of exercises, slow enough that queues become visible. */
export const DEFAULT_LINK = { delayNs: 50_000, rateBps: 100e6 } as const;

/** The value of an address in a plan, which was checked where it was read. */
export function addressValue(text: string, bits: 32 | 48 | 128): bigint {
  const parsed = parseValue(text, bits);
  if (!parsed.ok) throw new RangeError(parsed.message);
  return parsed.value;
}
