/** Probes on the packet simulator: datagrams through the compiled programs. */
import { Random } from "../../../../base/index.js";
import type { Steps } from "../../advance.js";
import type { SchemeRun } from "../../experiment.js";
import { SimulatorFaults } from "../../on-simulator.js";
import type { SimulatorStage } from "../kind.js";
import type { LocalisePackets } from "./check.js";
import type { Probe } from "./probes.js";
import { type NamedFailures, type ProbeEngine, search } from "./search.js";

export function localiseInSimulator(
  experiment: LocalisePackets,
  scheme: SchemeRun,
  stage: SimulatorStage,
): Promise<NamedFailures[]> {
  const { seed, fabric, power, play, breathe, stepDone } = stage;
  const { simulation } = fabric.network;
  const random = new Random(seed).fork("localise");
  const faults = new SimulatorFaults(fabric, { random: random.fork("faults"), ...power });
  const sender = new SimulatedProbes(experiment, stage);
  const engine: ProbeEngine = {
    now: () => simulation.now,
    async inject(fault) {
      faults.begin(fault);
      return async () => {
        faults.end(fault);
        for (const host of fabric.hosts()) host.reset();
      };
    },
    async send(probes) {
      const answered = await play(sender.send(probes));
      await breathe();
      return answered;
    },
    stepDone,
  };
  return search(experiment, scheme, random, engine);
}

class SimulatedProbes {
  /** Handlers of arriving packets, by host, its port and the port of the other host. */
  readonly #waiting = new Map<string, () => void>();
  #number = 0;

  constructor(
    readonly experiment: LocalisePackets,
    readonly stage: SimulatorStage,
  ) {}

  /** Each host sends one probe in each interval; ends when all are answered, or the last one is lost. */
  *send(probes: readonly Probe[]): Steps<boolean[]> {
    const { probe_interval, probe_timeout } = this.experiment.settings;
    const { simulation } = this.stage.fabric.network;
    const start = simulation.now;
    const answered = probes.map(() => false);
    const sentBy = new Map<number, number>();
    let missing = probes.length;
    let last = start;
    for (const [i, probe] of probes.entries()) {
      const turn = sentBy.get(probe.source) ?? 0;
      sentBy.set(probe.source, turn + 1);
      const at = start + turn * probe_interval;
      last = Math.max(last, at);
      const answer = () => {
        if (answered[i] || simulation.now > at + probe_timeout) return;
        answered[i] = true;
        if (--missing === 0) simulation.stop();
      };
      simulation.at(at, () => this.#send(probe, answer));
    }
    yield last + probe_timeout;
    this.#waiting.clear();
    return answered;
  }

  #send({ source, destination, clientPort, port, forward, reverse }: Probe, answered: () => void): void {
    const { fabric } = this.stage;
    const { ip } = this.experiment.settings.traffic;
    const [from, to] = [fabric.host(source), fabric.host(destination)];
    const number = this.#number++;
    this.#wait(destination, port, clientPort, () => {
      const back = { address: from.address(ip), port: clientPort };
      to.sendDatagram(ip, port, back, { number, selector: reverse });
    });
    this.#wait(source, clientPort, port, answered);
    from.sendDatagram(ip, clientPort, { address: to.address(ip), port }, { number, selector: forward });
  }

  #wait(node: number, port: number, peerPort: number, arrived: () => void): void {
    this.#waiting.set(`${node} ${port} ${peerPort}`, arrived);
    this.stage.fabric.host(node).listenUdp(port, (receiver) => {
      receiver.onReceived = () => {
        receiver.close();
        this.#waiting.get(`${node} ${port} ${receiver.peerPort}`)?.();
      };
    });
  }
}
