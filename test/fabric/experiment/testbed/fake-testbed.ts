/** A testbed whose switches and hosts write down what they are told to do. */
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { type Experiment, loadExperiment } from "../../../../src/fabric/experiment/index.js";
import type { Testbed } from "../../../../src/fabric/testbed/index.js";

/** A Clos fabric of two pods with dual-homed hosts, with these keys replaced or added. */
export function smallExperiment(keys: Readonly<Record<string, string>> = {}): Experiment {
  const all: Record<string, string> = {
    ...{ name: "x", failures: "[spine]", runs: "1", schemes: "[prr, ecmp]" },
    topology:
      "{ kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 1, host_link: { rate: 1Gbps } }",
    ...keys,
  };
  const diagnostics = new Diagnostics();
  const text = Object.entries(all)
    .map(([key, value]) => `${key}: ${value}`)
    .join("\n");
  const experiment = loadExperiment(new SourceFile("x.yaml", text), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  return experiment;
}

export interface FakeTestbed {
  readonly testbed: Testbed;
  /** What was asked for, in order: the object, the operation, its values. */
  readonly log: unknown[][];
  /** Only what is about this object. */
  of(name: string): unknown[][];
}

/** `settings` of the agents that start; `queues`: switches take sizes of queues. */
export function fakeTestbed(
  { topology }: Experiment,
  { settings = [] as object[], queues = true, starts = true } = {},
): FakeTestbed {
  const log: unknown[][] = [];
  const note =
    (name: string, operation: string) =>
    async (...values: unknown[]) =>
      void log.push([name, operation, ...values]);
  const named = (kind: string) =>
    topology.nodes.filter((node) => (node.host !== undefined) === (kind === "host"));
  const switches = named("switch").map(({ name }) => {
    const limits = {
      setQueueDepth: note(name, "depth"),
      setQueueRate: note(name, "rate"),
      setGenerators: note(name, "generators"),
    };
    const device = {
      name,
      load: note(name, "load"),
      write: note(name, "write"),
      settings: queues ? limits : undefined,
    };
    return [name, { name, device, kill: note(name, "kill"), restart: note(name, "restart") }] as const;
  });
  const hosts = named("host").map(({ name }) => {
    const spawn = () => {
      const lines = new Set<(line: string) => void>();
      let exit = (_: number) => {};
      const tell = (event: object) => {
        for (const line of lines) line(JSON.stringify(event));
      };
      return {
        onLine: (listener: (line: string) => void) => lines.add(listener),
        stderr: "no tun device",
        exited: new Promise<number>((resolve) => (exit = resolve)),
        kill: async () => exit(143),
        write: (text: string) => {
          const { op, id, ...request } = JSON.parse(text);
          log.push([name, op, request]);
          if (op === "start" && !starts) exit(1);
          else if (op === "start") tell({ event: "ready", tun: "agent0", settings });
          else if (op === "stop") exit(0);
          else tell({ event: "listening", id, port: request.port });
        },
      };
    };
    return [name, { name, spawn }] as const;
  });
  const testbed = {
    ...{ id: "x", switches: new Map(switches), hosts: new Map(hosts) },
    ...{
      setLink: note("testbed", "link"),
      setDelay: note("testbed", "delay"),
      close: note("testbed", "close"),
    },
  } as unknown as Testbed;
  return { testbed, log, of: (name) => log.filter(([own]) => own === name).map(([, ...rest]) => rest) };
}
