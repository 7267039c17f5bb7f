/**
 * A scheme: the programs of its switches, the state that its control plane writes into them, and the behaviour of its hosts.
 * A scheme does not depend on an engine: it reads a topology and returns {@link Update}s for any `Device`.
 */
import type { z } from "zod";
import type { Locate, Span } from "../../base/index.js";
import type { SelectorField } from "../../base/packets/index.js";
import type {
  CrcParameters,
  Device,
  PacketGenerator,
  QueueSelection,
  Update,
} from "../../toolchain/device/index.js";
import type { ProgramPlan } from "../../toolchain/generate/index.js";
import type { ControllerPlan, RoutePlanner } from "../controllers/index.js";
import type { FlowAssignment, HostContext, HostPolicy, PolicyDescription } from "../hosts/index.js";
import type { PathModel } from "../paths/index.js";
import type { Topology } from "../topology/index.js";
import type { ClosedForm } from "./closed-form.js";

/** What one switch runs and what the control plane writes after loading it, in this order. */
export interface SwitchPlan {
  /** Node index in the topology. */
  readonly node: number;
  /** Name of a {@link ProgramPlan}. */
  readonly program: string;
  readonly updates: readonly Update[];
  /** Settings outside P4Runtime, made after its program is loaded and before {@link updates}. */
  readonly settings?: readonly SwitchSetting[];
  /** Frames that the switch itself generates after it has its state. */
  readonly generators?: readonly PacketGenerator[];
}

/** A setting of a v1model target for which P4Runtime has no entity; see `TargetSettings`. */
export type SwitchSetting =
  | { readonly kind: "queueDepth"; readonly packets: number; readonly queues?: QueueSelection }
  | { readonly kind: "queueRate"; readonly packetsPerSecond: number; readonly queues?: QueueSelection }
  | {
      readonly kind: "crc";
      /** Name in the BMv2 JSON, or number among the custom CRCs of this width, in the order of the program. */
      readonly calculation: string | number;
      readonly width: 16 | 32;
      readonly parameters: CrcParameters;
    }
  | { readonly kind: "toeplitzKey"; readonly calculation: string; readonly key: Uint8Array };

/** The name of a CRC's calculation in the program of a device; a number that the program does not have is returned as text. */
export function calculationName(
  { program }: Pick<Device, "program">,
  { calculation, width }: Extract<SwitchSetting, { kind: "crc" }>,
): string {
  if (typeof calculation === "string") return calculation;
  const own = program?.bmv2.calculations.filter(({ algo }) => algo === `crc${width}_custom`) ?? [];
  return own[calculation]?.name ?? `number ${calculation} of ${width} bits`;
}

/** How to plan the state of the same switches again when links go down or come up; hosts do not change. */
interface Replanning {
  /** The programs of the fabric with larger tables, which must hold old and new state at the same time. */
  readonly programs: readonly ProgramPlan[];
  /** A planner without knowledge of any switch. */
  planner(): RoutePlanner;
}

/** Factor by which the tables of {@link Replanning.programs} are larger. */
export const REPLANNING_ROOM = 4;

/** Everything that a fabric under this scheme needs. */
export interface FabricPlan {
  readonly scheme: string;
  /** Header field that carries the selector. */
  readonly field: SelectorField;
  /** Switches read or write that field, too, whatever the selectors of the hosts are. */
  readonly switchesUseField?: boolean;
  /** Bytes of a header that packets have between switches in addition; absent: none. */
  readonly overlayBytes?: number;
  readonly programs: readonly ProgramPlan[];
  /** All switches, by ascending node index. */
  readonly switches: readonly SwitchPlan[];
  /** Control plane programs that run as long as the fabric; they start when all switches have their state. */
  readonly controllers?: readonly ControllerPlan[];
  /** Absent: the state of the switches cannot be planned again while they run. */
  readonly replanning?: Replanning;
  /** Description of the hosts' policy: {@link Scheme.hosts} makes the policy from it, here or in a process on the host. */
  readonly hosts: PolicyDescription;
  /** Who leads a flow to another path after a timeout: hosts by their selector, switches because it has paused; false: nobody. */
  readonly repaths: "hosts" | "switches" | false;
  /** Each packet has a path of its own, so that a retransmission is no try of another path. */
  readonly sprays?: boolean;
  /** The forwarding of the switches, which gives paths of flows without packets; made on demand. */
  readonly pathModel?: () => PathModel;
  /** Theory for the recovery of a flow, if there is any. */
  readonly closedForm?: ClosedForm;
  /** Source position where the module of a user makes this plan; absent for schemes of the package. */
  readonly place?: Span;
  /** What a reader of results must know about this scheme, one sentence each; printed with the figures. */
  readonly notes?: readonly string[];
}

/** The report that `p4loom generate NAME --report` prints. */
export interface SchemeReport {
  /** Names of topologies that the report defines itself, usable in place of a topology file. */
  readonly topologies: readonly string[];
  /** Shape and defaults of the options, by the names that `--set` uses. `--version-bit V` also sets `version_bit`. */
  readonly options: z.ZodObject;
  /** Rows and text for a topology, or for one of {@link topologies}; `options` have passed their schema. */
  make(subject: Topology | string, options: unknown): ReportText;
}

export interface ReportText {
  /** One object for each line of the table, for `--json`. */
  readonly rows: readonly object[];
  /** The report for people. */
  readonly text: string;
}

/** The output of `p4loom generate NAME --route A,B,C`. */
export type RouteText = ReportText;

/** The effect of the control bits of a header on the choices of a path. */
interface PathmapTable {
  /** Names of the control bits, the lowest first. */
  readonly bits: readonly string[];
  readonly buckets: number;
  /** In the order of a path: the hop, the numbers of its next hops, and by control bit the offset of its bucket. */
  readonly hops: readonly {
    readonly hop: string;
    readonly sizes: readonly number[];
    readonly offsets: readonly number[];
  }[];
  /** Paths through the hops, and those that changes of the control bits reach from any header. */
  readonly paths: number;
  readonly reached: number;
  /** The largest number of hops at which one change moves every flow, and the number of changes that do. */
  readonly most_changed_hops: number;
  readonly changes_of_most_hops: number;
  readonly notes: readonly string[];
}

/** A flow that is known before it opens. Nodes are hosts. */
export interface KnownFlow {
  readonly source: number;
  readonly destination: number;
  /** IP version. */
  readonly version: 4 | 6;
  /** 6 TCP, 17 UDP. */
  readonly protocol: number;
  readonly destinationPort: number;
  /** Infinity: without an end. */
  readonly bytes: number;
}

export interface Scheme<Parameters = unknown> {
  readonly name: string;
  /** Name in figures and tables for people. */
  readonly title: string;
  /** One line for listings. */
  readonly summary: string;
  /** Shape and defaults of the parameters: the keys that follow the scheme's name in an experiment file. */
  readonly parameters: z.ZodType<Parameters>;
  /**
   * Plans a fabric. Throws DiagnosticError (P422xx) when the parameters do not fit the topology; `locate`
   * finds keys of the parameters.
   */
  plan(topology: Topology, parameters: Parameters, locate?: Locate): FabricPlan;
  /**
   * The policy of one host, from {@link FabricPlan.hosts}, whose `kind` is the name of this scheme (or `fixed`). Throws
   * DiagnosticError P42210 where the description is incomplete: it may come from another process.
   */
  hosts(description: unknown, context: HostContext): HostPolicy;
  /**
   * Gives source ports and selectors to flows that are known in advance, one assignment for each flow; undefined: these parameters plan
   * none. Hosts get it as `ConnectionEnd.assignment`. Throws DiagnosticError (P453xx) where the flows cannot be planned.
   */
  assign?(
    topology: Topology,
    parameters: Parameters,
    locate: Locate,
  ): ((flows: readonly KnownFlow[]) => FlowAssignment[]) | undefined;
  /**
   * The commands of an experiment file to the scheme's controllers, by name, with the schema of their values.
   * Controllers get them by `ControllerContext.watchCommands`.
   */
  readonly commands?: Readonly<Record<string, z.ZodType>>;
  /**
   * Whether a command, whose values have passed their schema, can be carried out under these parameters. Throws DiagnosticError
   * where it cannot; `locate` finds keys of the command.
   */
  checkCommand?(
    topology: Topology,
    parameters: Parameters,
    command: { readonly name: string; readonly values: unknown },
    locate: Locate,
  ): void;
  /** The hash functions of its switches, where the scheme assigns them: what `p4loom hash assign` prints. Throws as {@link plan} does. */
  hashAssignment?(topology: Topology, parameters: Parameters, locate?: Locate): HashAssignment;
  /**
   * What each control bit of a header does at each hop, where hosts of the scheme know it: what `p4loom hash pathmap` prints. Throws as
   * {@link plan} does.
   */
  pathmap?(topology: Topology, parameters: Parameters, locate?: Locate): PathmapTable;
  /**
   * The selector of a route between two hosts that passes nodes in an order; `nodes` are indexes, a host first and last. Throws
   * DiagnosticError P45542 where no selector names such a route.
   */
  route?(topology: Topology, parameters: Parameters, nodes: readonly number[], locate: Locate): RouteText;
  /** The cost of the scheme's tables, if it can report it. */
  readonly report?: SchemeReport;
}

// The assignment of hash functions to the switches of a scheme, for people.

/** The functions of the switches of a place: a stage, and where packets come from. */
export interface NamedSetting {
  readonly place: string;
  readonly switches: number;
  /** Names of functions. */
  readonly functions: readonly string[];
  /** Number of different seeds other than 0. */
  readonly seeds: number;
  /** Numbers of slots of the groups with several. */
  readonly slots: readonly number[];
}

export interface HashAssignment {
  readonly model: PathModel;
  readonly places: readonly NamedSetting[];
  /** What people must know about it, one sentence each. */
  readonly notes: readonly string[];
  placeOf(node: number, kind: number): string;
}
