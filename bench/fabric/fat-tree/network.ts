/** The network of the benchmark: a fat tree with ECMP whose switches run the compiled program, and its flows. */
import { fileURLToPath } from "node:url";
import { Diagnostics, formatDiagnostic, Random, SourceFile } from "../../../src/base/index.js";
import { bootFabric, ProgramCompiler } from "../../../src/fabric/experiment/boot.js";
import { loadExperiment } from "../../../src/fabric/experiment/index.js";
import {
  CONGESTION_CONTROLS,
  type Fabric,
  NS_PER_MS,
  NS_PER_S,
  type TcpOptions,
} from "../../../src/fabric/sim/packet/index.js";
import { openWorkload, readSizeDistribution, type Workload } from "../../../src/fabric/traffic/index.js";
import { packageFile, readSource } from "../../../src/toolchain/loading/index.js";

/** Bits per second of every link, and its delay in nanoseconds. */
export const RATE_BPS = 10e9;
export const DELAY_NS = 1000;
/** A port's buffer and marking threshold (DCTCP, section 3.5: about 65 packets at 10 Gbit/s). */
export const QUEUE_PACKETS = 500;
export const MARK_PACKETS = 65;
export const MSS = 1440;
export const INITIAL_WINDOW = 10;
export const MIN_RTO_MS = 5;

const TCP: TcpOptions = {
  protocol: "tcp",
  segmentBytes: MSS,
  congestionControl: CONGESTION_CONTROLS.dctcp,
  initialWindow: INITIAL_WINDOW,
  receiveBuffer: 1 << 24,
  delayedAck: { segments: 2, timeout: NS_PER_MS },
  ecn: "accurate",
  sack: true,
  rack: true,
  reordering: false,
  handshake: true,
  timeWait: 0,
  userTimeout: 100 * NS_PER_S,
  margin: MIN_RTO_MS * NS_PER_MS,
  floor: MIN_RTO_MS * NS_PER_MS,
  cap: NS_PER_S,
  initial: 10 * NS_PER_MS,
};

const PORT = 5201;

export async function bootFatTree(k: number): Promise<Fabric> {
  const rate = `${RATE_BPS / 1e9}Gbps`;
  const link = `{ rate: ${rate}, delay: ${DELAY_NS}ns }`;
  const text = `
name: fat-tree
topology: { kind: fat_tree, k: ${k}, host_link: ${link}, fabric_link: ${link} }
schemes: [ecmp]
failures: [tor]
runs: 1
queues: { packets: ${QUEUE_PACKETS}, bytes: 10000000, ecn_threshold: ${MARK_PACKETS} }
`;
  const diagnostics = new Diagnostics();
  const experiment = loadExperiment(new SourceFile("fat-tree.yaml", text), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  const compiler = new ProgramCompiler({ ecnThreshold: MARK_PACKETS });
  return await bootFabric(experiment, experiment.schemes[0]!, compiler, 1);
}

/** Web search, Poisson arrivals, any host to any other, at that load of the hosts' links. */
export function webSearch({ topology }: Fabric, load: number, flows: number | undefined): Workload {
  const sizes = readSizeDistribution(readSource(fileURLToPath(packageFile("data/cdf/web_search.txt"))));
  return openWorkload(
    {
      parts: [
        {
          pattern: { kind: "all_to_all" },
          pace: { kind: "load", load, arrivals: "poisson" },
          sizes,
          service: { protocol: "tcp", port: PORT },
        },
      ],
      loadOf: "host_links",
      segmentBytes: 1000,
      flows,
      durationNs: undefined,
    },
    topology,
    new Random(1),
  );
}

export interface PlayedFlow {
  readonly bytes: number;
  readonly startNs: number;
  readonly source: number;
  readonly destination: number;
  /** Absent while it is not complete. */
  fctNs?: number;
}

/**
 * Flows of a workload on a fabric: each starts at its time, is complete when its receiver has all bytes, and is
 * forgotten then.
 */
export class FlowPlayer {
  readonly #expected = new Map<string, PlayedFlow>();
  readonly #random = new Random(2);
  readonly #zero: number;
  readonly played: PlayedFlow[] = [];
  started = 0;
  completed = 0;
  exhausted = false;

  /** @param keep whether {@link played} stores the flows */
  constructor(
    readonly fabric: Fabric,
    readonly workload: Workload,
    readonly keep: boolean,
  ) {
    const { simulation } = fabric.network;
    this.#zero = simulation.now;
    for (const host of fabric.hosts())
      host.listen(
        PORT,
        TCP,
        (connection) => {
          const { src, dst, dstPort } = connection.flow;
          const key = `${dst} ${dstPort} ${src}`;
          const flow = this.#expected.get(key);
          if (flow === undefined) return;
          connection.listener.received = (bytes) => {
            if (bytes < flow.bytes) return;
            flow.fctNs = simulation.now - this.#zero - flow.startNs;
            this.completed++;
            this.#expected.delete(key);
          };
        },
        this.#random.fork(host.name),
      );
    this.#schedule();
  }

  get isDone(): boolean {
    return this.exhausted && this.completed === this.started;
  }

  #schedule(): void {
    const arrival = this.workload.next();
    if (arrival === undefined) {
      this.exhausted = true;
      return;
    }
    this.fabric.network.simulation.at(this.#zero + arrival.startNs, () => {
      const { source, destination, bytes, startNs } = arrival;
      const [from, to] = [this.fabric.host(source), this.fabric.host(destination)];
      const port = 10_000 + (arrival.id % 50_000);
      const flow: PlayedFlow = { bytes, startNs, source, destination };
      if (this.keep) this.played.push(flow);
      this.#expected.set(`${from.address(4)} ${port} ${to.address(4)}`, flow);
      const peer = { address: to.address(4), port: PORT };
      const connection = from.connect(4, port, peer, this.#random.fork(arrival.id), TCP);
      connection.send(bytes);
      connection.finish();
      this.started++;
      this.#schedule();
    });
  }
}
