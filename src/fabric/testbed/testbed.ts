/**
 * A testbed: real switch processes and Linux hosts on real interfaces. {@link TestbedSpec} describes it, {@link Testbed}
 * is a running one. `startTestbed` starts a testbed from its spec; `testbedOf` makes a spec from a topology.
 */

import type { Device } from "../../toolchain/device/index.js";
import type { ExecResult } from "./system/command.js";
import type { SwitchEngine, TestbedSwitch } from "./testbed-spec.js";
import type { InterfaceCounters, TestbedUsage } from "./usage/usage.js";

export const NETWORKS = ["netns", "mininet"] as const;
/** The program that makes hosts and links: p4loom with iproute2, or Mininet. */
export type NetworkKind = (typeof NETWORKS)[number];

export const OMISSIONS = ["delay", "rate"] as const;
/** Properties of links that a testbed omits if the kernel cannot provide them. */
export type Omission = (typeof OMISSIONS)[number];

export interface TestbedStartOptions {
  readonly network: NetworkKind;
  readonly engine: SwitchEngine;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
  /** Command that starts p4loom, for our switch; default: this package. */
  readonly p4loom?: readonly string[];
  /** For `logs/` and `pcaps/`; stays when the testbed ends. */
  readonly folder: string;
  /**
   * Our switches send traces of packets to every reader of {@link RunningSwitch.traceSocket}, of at most this number of
   * packets a second. Absent: they do not. BMv2 never does.
   */
  readonly tracesPerSecond?: number;
  /** Capture every port of every switch into `pcaps/`. */
  readonly pcap?: boolean;
  /** Level of the switches' logs; default `info`. */
  readonly logLevel?: "trace" | "debug" | "info" | "warn" | "error" | "off";
  readonly allowMissing: ReadonlySet<Omission>;
  /** Called with a line for each step. `severity` is given for warnings and errors. */
  log(line: string, severity?: "warning"): void;
  /** Called once for each property of links that the machine cannot provide and that is left out; default: `log`. */
  leftOut?(line: string): void;
  /** When it is aborted, a start ends early, and a running testbed closes. */
  readonly stop: AbortSignal;
}

export interface Testbed {
  /** Part of the names of everything that the testbed made on this machine. */
  readonly id: string;
  readonly switches: ReadonlyMap<string, RunningSwitch>;
  readonly hosts: ReadonlyMap<string, RunningHost>;
  /**
   * Takes the links between two nodes down, or up again: both ends lose their carrier. To distinguish parallel links, give an
   * interface of a switch in place of its node. Rejects with P43109 when there is none.
   */
  setLink(a: string, b: string, up: boolean): Promise<void>;
  /**
   * Adds nanoseconds to the delay of the frames that an interface of a host or a switch sends; 0: only the delay of the link.
   * Frames that wait at the interface at that moment are lost. Rejects with P43105 where the kernel has no netem, with
   * P43109 when there is no such interface.
   */
  setDelay(node: string, interfaceName: string, extraNs: number): Promise<void>;
  /** Measures processor time and lost frames; two measurements make a load (`loadBetween`). Takes some 50 ms. */
  usage(): Promise<TestbedUsage>;
  /** Frames and bytes that passed the interfaces of the switches so far, by their names. Takes some 10 ms. */
  counters(): Promise<ReadonlyMap<string, InterfaceCounters>>;
  /** Ends all processes and removes all that the testbed created, except `folder`. Further calls have no effect. */
  close(): Promise<void>;
}

export interface SwitchProcessState {
  readonly running: boolean;
  /** By number. */
  readonly downPorts: ReadonlySet<number>;
}

export interface RunningSwitch {
  readonly name: string;
  /**
   * Connected as primary, until {@link share}; `settings` and registers work on BMv2 too. After a restart the same
   * object controls the new process, as primary; in between all calls are refused with UNAVAILABLE.
   */
  readonly device: Device;
  /** Of its process; undefined: it does not run. */
  readonly pid: number | undefined;
  /** Of its P4Runtime server: a Unix socket. */
  readonly address: string;
  /** TCP port of 127.0.0.1 for other controllers, if {@link TestbedSwitch.grpcPort} asks for one. */
  readonly grpcPort: number | undefined;
  readonly logFile: string;
  /** Unix socket of its traces (see docs/trace.md), if {@link TestbedStartOptions.tracesPerSecond} asks for one. */
  readonly traceSocket: string | undefined;
  /**
   * Lets other controllers become primary: from now on `device` claims the switch only for the time of a write, a packet or a
   * watch. These are refused with PERMISSION_DENIED while another controller is primary; reads never are.
   */
  share(): void;
  /** After {@link share}: asks the switch which program it runs, since another controller may have loaded one. */
  refresh(): Promise<void>;
  /**
   * Calls back soon, and after each change, with whether the process runs and which ports have lost their carrier by
   * {@link Testbed.setLink}; returns a function that stops this. P4Runtime has no message for ports.
   */
  watchState(listener: (state: SwitchProcessState) => void): () => void;
  /** Ends the process at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, without a program; ends the old process first if there is one. */
  restart(): Promise<void>;
}

export interface RunningHost {
  readonly name: string;
  /**
   * Runs a command to its end; after `timeoutMs` it is killed with all processes that it has started. Its background
   * processes continue, and are not awaited.
   */
  exec(
    argv: readonly string[],
    options?: { readonly input?: string; readonly timeoutMs?: number },
  ): Promise<ExecResult>;
  /** Starts a command that continues; it ends with the testbed at the latest. */
  spawn(argv: readonly string[]): HostProcess;
}

export interface HostProcess {
  /** Sends one line to its stdin; the newline is added. */
  write(line: string): void;
  /** Sends text to its stdin unchanged. */
  writeText(text: string): void;
  /** Calls back for every line of stdout from the first one on, including past ones; returns a function that ends this. */
  onLine(listener: (line: string) => void): () => void;
  /** Calls back for the text of stdout as it arrives, including prompts without a newline; returns a function that ends this. */
  onText(listener: (text: string) => void): () => void;
  /** The last lines of stderr so far. */
  readonly stderr: string;
  /** Exit status, as in {@link ExecResult}; its background processes are not awaited. */
  readonly exited: Promise<number>;
  /** Ends the process and what it has started: SIGTERM, and after a second SIGKILL. No callback is called afterwards. */
  kill(): Promise<void>;
}
