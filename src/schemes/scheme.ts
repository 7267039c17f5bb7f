/**
 * A scheme: the programs its switches run, the state its control plane writes into them, and what its hosts
 * do. A scheme does not depend on an engine: it reads a topology and returns {@link Update}s for any `Device`.
 */
import type { z } from "zod";
import type { Locate, Span } from "../base/index.js";
import type { ControllerPlan, RoutePlanner } from "../controllers/index.js";
import type { CrcParameters, PacketGenerator, QueueSelection, Update } from "../device/index.js";
import type { ProgramPlan } from "../generate/index.js";
import type {
  FlowAssignment,
  HostContext,
  HostPolicy,
  PolicyDescription,
  SelectorField,
} from "../hosts/index.js";
import type { PathModel } from "../paths/index.js";
import type { Topology } from "../topology/index.js";
import type { ClosedForm } from "./closed-form.js";
import type { HashAssignment } from "./hash-assignment.js";

/** What one switch runs and what the control plane writes after loading it, in this order. */
export interface SwitchPlan {
  /** Node index in the topology. */
  readonly node: number;
  /** Name of a {@link ProgramPlan}. */
  readonly program: string;
  readonly updates: readonly Update[];
  /** What it is told beside P4Runtime, after its program is loaded and before {@link updates}. */
  readonly settings?: readonly SwitchSetting[];
  /** Frames that it makes itself from the moment at which it has its state. */
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

/** How to plan the state of the same switches anew when links go down or come up; hosts stay as they are. */
interface Replanning {
  /** The programs of the fabric with larger tables: old and new state are in them at the same time. */
  readonly programs: readonly ProgramPlan[];
  /** A planner that knows nothing of any switch. */
  planner(): RoutePlanner;
}

/** Factor of the entries that {@link Replanning.programs} have room for. */
export const REPLANNING_ROOM = 4;

/** Everything that a fabric under this scheme needs. */
export interface FabricPlan {
  readonly scheme: string;
  /** Header field that carries the selector. */
  readonly field: SelectorField;
  readonly programs: readonly ProgramPlan[];
  /** All switches, by ascending node index. */
  readonly switches: readonly SwitchPlan[];
  /** Control plane programs that run as long as the fabric; they start when all switches have their state. */
  readonly controllers?: readonly ControllerPlan[];
  /** Absent: the state of the switches cannot be planned anew while they run. */
  readonly replanning?: Replanning;
  /** What the hosts do: {@link Scheme.hosts} makes the policy of it, here or in a process on the host. */
  readonly hosts: PolicyDescription;
  /** Whether hosts ever leave a path after a timeout. */
  readonly repaths: boolean;
  /** How the switches forward, so that paths of flows can be found without packets; made when it is asked for. */
  readonly pathModel?: () => PathModel;
  /** Theory for the recovery of a flow, if there is any. */
  readonly closedForm?: ClosedForm;
  /** Where the module of a user makes this plan; absent for schemes of the package. */
  readonly place?: Span;
  /** What a reader of results must know of this scheme, one sentence each; printed beside the figures. */
  readonly notes?: readonly string[];
}

/** What `p4loom generate NAME --report` prints. */
export interface SchemeReport {
  /** Names that stand for topologies of the report's own, instead of a topology file. */
  readonly topologies: readonly string[];
  /** Shape and defaults of the options, by the names that `--set` uses. `--version-bit V` sets `version_bit`, too. */
  readonly options: z.ZodObject;
  /** Rows and text for a topology, or for one of {@link topologies}; `options` have passed their schema. */
  make(subject: Topology | string, options: unknown): ReportText;
}

export interface ReportText {
  /** One object a line of the table, for `--json`. */
  readonly rows: readonly object[];
  /** The same for people. */
  readonly text: string;
}

/** What `p4loom generate NAME --route A,B,C` prints. */
export type RouteText = ReportText;

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
   * Plans a fabric. Throws DiagnosticError (P422xx) when the parameters do not suit the topology; `locate`
   * finds keys of the parameters.
   */
  plan(topology: Topology, parameters: Parameters, locate?: Locate): FabricPlan;
  /**
   * The policy of one host, from {@link FabricPlan.hosts}, whose `kind` is the name of this scheme (or `fixed`). Throws
   * DiagnosticError P42210 where the description lacks something: it may come from another process.
   */
  hosts(description: unknown, context: HostContext): HostPolicy;
  /**
   * Gives source ports and selectors to flows that are known in advance, one assignment a flow; undefined: these parameters plan
   * none. Hosts hear of it by `ConnectionEnd.assignment`. Throws DiagnosticError (P453xx) where the flows do not fit.
   */
  assign?(
    topology: Topology,
    parameters: Parameters,
    locate: Locate,
  ): ((flows: readonly KnownFlow[]) => FlowAssignment[]) | undefined;
  /**
   * What an experiment file can tell the scheme's controllers at a time, by name: the schema of the values of each command.
   * They hear it by `ControllerContext.watchCommands`.
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
  /** Which hash functions its switches have, where it assigns them: what `p4loom hash assign` prints. Throws as {@link plan} does. */
  hashAssignment?(topology: Topology, parameters: Parameters, locate?: Locate): HashAssignment;
  /**
   * The selector of a route between two hosts that passes nodes in an order; `nodes` are indexes, a host first and last. Throws
   * DiagnosticError P45542 where no selector names such a route.
   */
  route?(topology: Topology, parameters: Parameters, nodes: readonly number[], locate: Locate): RouteText;
  /** What the scheme's tables cost, if it can tell. */
  readonly report?: SchemeReport;
}
