/** The setup of a switch: everything that {@link runSwitch} needs before it opens anything. */
import { basename, join } from "node:path";
import type { SourceFile } from "../../base/index.js";
import type { ServerTls } from "../p4runtime/index.js";
import type { BfrtSchema, Program } from "../program/index.js";
import type { LogSetup } from "./log.js";
import type { TraceFileSetup } from "./trace-file.js";
import type { TraceSocketSetup } from "./trace-socket.js";

/** Paths of the files to which the frames of a port are written: received frames, and sent frames. */
export interface Capture {
  input: string;
  output: string;
}

/** A port that reads its frames from one pcap file and writes them to another. */
export interface PortFiles {
  port: number;
  /** The port's name for programs with a type of port names. */
  name: string;
  input: string;
  output: string;
  capture?: Capture;
}

/** A port on a Linux interface. */
export interface PortInterface {
  port: number;
  name: string;
  /** Path or name of its network namespace; absent: the process's own. */
  namespace?: string;
  /** Bits per second at which the port sends; absent: as fast as the interface takes frames. */
  rateBps?: number;
  capture?: Capture;
}

/** Files of a port that is called NAME: NAME_in.pcap and NAME_out.pcap. */
export function filesOf(name: string): Capture {
  return { input: `${name}_in.pcap`, output: `${name}_out.pcap` };
}

/** Captures are all in one folder: only the last part of a port's name counts. */
export function captureOf(folder: string, name: string): Capture {
  return filesOf(join(folder, basename(name)));
}

export interface SwitchSetup {
  /** Absent: the switch starts without a program, and a controller sends one. */
  program?: {
    /** For the log. */
    path: string;
    program: Program;
    /** Makes the program's schema of BF Runtime, for the server. */
    bfrt?: () => Promise<BfrtSchema | undefined>;
  };
  /** simple_switch_CLI commands that run before packets and controllers are taken. */
  commands?: SourceFile;
  files: PortFiles[];
  interfaces: PortInterface[];
  /** Folder of the captures of ports that are added later; absent: they are not captured. */
  captureFolder?: string;
  /** Time in ms before the input files are read. */
  waitMs: number;
  /** Whether the switch ends when all frames of the input files went through. */
  exitWhenDone: boolean;
  deviceId: bigint;
  /** `host:port` or `unix:path`; absent: no P4Runtime server. */
  address?: string;
  tls?: ServerTls;
  /** 1 to 511. */
  cpuPort?: number;
  /** 0 to 511. */
  dropPort: number;
  /** Number of queues of each port. */
  priorityQueues: number;
  log: LogSetup;
  /** Number of bytes of each packet that are logged. */
  dumpBytes: number;
  trace?: TraceFileSetup;
  traceSocket?: TraceSocketSetup;
}
