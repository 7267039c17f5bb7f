/** What a lab is made of: files as texts, and what stands where. All of it is plain JSON, so that it can be written into a page. */
import { parseValue } from "../device/index.js";
import type { SchemeFacts } from "./scheme.js";

export interface LabProject {
  readonly title: string;
  /** Text of each file by its path, with `/` between names, from the project's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Files that are not written: they belong to the package, or were made from other files. */
  readonly readOnly?: readonly string[];
  readonly open: LabSource;
  /** Of an experiment file. */
  readonly scheme?: SchemeFacts;
}

export type LabSource =
  /** A folder of the P4 tutorials' form. `topology`: absent, as `p4loom net` finds it. */
  | { readonly kind: "exercise"; readonly topology?: string; readonly program?: string }
  /** One switch with four hosts that runs this program. */
  | { readonly kind: "program"; readonly path: string }
  /** As an experiment file was planned. */
  | { readonly kind: "plan"; readonly plan: LabPlan };

/** The network of a lab. Addresses are texts as people write them. */
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
  /** Shell lines; a simulated host follows those that set routes and neighbours. */
  readonly commands: readonly string[];
  /** MAC addresses of the routers at its ports; absent: by routes and ARP. */
  readonly gateways?: readonly string[];
}

export interface PlannedSwitch {
  readonly name: string;
  /** Path of P4 source or BMv2 JSON; absent: it runs none. */
  readonly program?: string;
  /** Path of the P4Info of a BMv2 JSON. */
  readonly p4info?: string;
  /** Files with its entries: an `sN-runtime.json`, then commands or statements. */
  readonly runtime?: string;
  readonly commands?: string;
  readonly cpuPort?: number;
  readonly priorityQueues?: number;
  /** Distance from the hosts, where the network has tiers. */
  readonly tier?: number;
}

export interface PlannedLink {
  readonly a: { readonly node: string; readonly port: number };
  readonly b: { readonly node: string; readonly port: number };
  /** Absent: {@link DEFAULT_LINK}. */
  readonly delayNs?: number;
  readonly rateBps?: number;
}

/** Of links that say nothing: like the virtual links that exercises run on, slow enough that packets can be seen to queue. */
export const DEFAULT_LINK = { delayNs: 50_000, rateBps: 100e6 } as const;

/** The value of an address in a plan, which was checked where it was read. */
export function addressValue(text: string, bits: 32 | 48 | 128): bigint {
  const parsed = parseValue(text, bits);
  if (!parsed.ok) throw new RangeError(parsed.message);
  return parsed.value;
}
