/**
 * Counts the modules through which a reader goes on three ways through the house: `npx tsx tools/walks.ts [--root DIR] [--list]`.
 *
 * - `table`: a program with one table, from its source to one lookup.
 * - `packet`: one segment between two hosts of a simulated fabric, in both directions (the acknowledgement returns).
 * - `experiment`: `p4loom run examples/pecmp-failover-small.yaml` with one run, from the file to the page.
 *
 * A module counts if V8's precise coverage says that one of its functions ran. Each way is gone twice, and the second time is
 * counted, so that what runs only when modules are loaded does not count. Generated code (`*_pb.ts`) and `src/base` are apart.
 * `--root DIR` counts in another checkout (also one from before the wings); `--list` names the modules. Prints JSON.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { root: { type: "string", default: "." }, list: { type: "boolean", default: false } },
});
const root = resolve(options.root);

/** A module of the checkout by its path below `src`, with its wing or, in older checkouts, without. */
// biome-ignore lint/suspicious/noExplicitAny: the module belongs to a checkout that is given at run time.
async function load(path: string): Promise<any> {
  const places = [path, path.replace(/^(toolchain|fabric|course)\//, "")].map((place) =>
    join(root, "src", place),
  );
  const file = places.find((place) => existsSync(place));
  if (file === undefined) throw new Error(`${root} has none of ${places.join(", ")}`);
  return await import(pathToFileURL(file).href);
}

/** Goes a way twice; returns the modules below `src` whose functions ran the second time. */
async function modulesOf(way: () => Promise<() => unknown>): Promise<string[]> {
  await (await way())();
  const walk = await way();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await walk();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const src = join(root, "src/");
  return result
    .filter(({ url, functions }) => url.startsWith("file:") && functions.some(isCalled))
    .map(({ url }) => fileURLToPath(url.split("?")[0]!))
    .filter((file) => file.startsWith(src))
    .map((file) => file.slice(src.length))
    .sort();
}

/** The first function of a module, without a name and from the start, is the module itself; `__name` is a helper of the transpiler. */
function isCalled(of: { functionName: string; ranges: { startOffset: number; count: number }[] }): boolean {
  const [range] = of.ranges;
  const isModule = of.functionName === "" && range!.startOffset === 0;
  return range!.count > 0 && !isModule && of.functionName !== "__name";
}

const PROGRAM = `#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t ethernet; }
struct metadata_t {}
parser P(packet_in b, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
  state start { b.extract(h.ethernet); transition accept; }
}
control V(inout headers_t h, inout metadata_t m) { apply {} }
control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) {
  action forward(bit<9> port) { s.egress_spec = port; }
  action drop() { mark_to_drop(s); }
  table switching { key = { h.ethernet.dst: exact; } actions = { forward; drop; } default_action = drop(); }
  apply { switching.apply(); }
}
control E(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply {} }
control C(inout headers_t h, inout metadata_t m) { apply {} }
control D(packet_out b, in headers_t h) { apply { b.emit(h.ethernet); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

async function table(): Promise<() => unknown> {
  const base = await load("base/index.ts");
  const p4 = await load("toolchain/p4/index.ts");
  const { Switch } = await load("toolchain/switch/index.ts");
  return () => {
    const diagnostics = new base.Diagnostics();
    const file = new base.SourceFile("switching.p4", PROGRAM);
    const compiled = p4.compile({ file, resolveInclude: p4.standardLibrary }, diagnostics);
    diagnostics.throwIfErrors();
    const program = compiled.program;
    const sent: number[] = [];
    const clock = { now: () => 0, at: () => () => {} };
    const device = new Switch(program, { clock, transmit: (port: number) => sent.push(port) });
    const match = [{ kind: "exact", field: "h.ethernet.dst", value: 1n }];
    const action = { kind: "action", action: "I.forward", params: { port: 3n } };
    const entity = { kind: "tableEntry", table: "I.switching", match, priority: 0, action };
    device.apply([{ type: "insert", entity }]);
    const frame = new Uint8Array(60);
    frame[5] = 1;
    device.receive(1, frame);
    if (sent[0] !== 3) throw new Error(`the packet left at ${sent}`);
  };
}

const FABRIC = `name: walk
topology: { kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2 }
schemes: [pecmp]
failures: [tor]
runs: 1
`;

async function packet(): Promise<() => unknown> {
  const base = await load("base/index.ts");
  const { bootFabric, ProgramCompiler } = await load("fabric/experiment/boot.ts");
  const { loadExperiment } = await load("fabric/experiment/index.ts");
  const diagnostics = new base.Diagnostics();
  const experiment = loadExperiment(new base.SourceFile("walk.yaml", FABRIC), diagnostics);
  diagnostics.throwIfErrors();
  const fabric = await bootFabric(experiment, experiment.schemes[0], new ProgramCompiler(), 1);
  const hosts = [...fabric.hosts()];
  const [a, b] = [hosts[0], hosts.at(-1)];
  const random = new base.Random(1);
  const transport = { segmentBytes: 1000, windowSegments: 1, margin: 5e6, cap: 1e9, initial: 1e9 };
  const client = a.open(4, 40_000, { address: b.address(4), port: 5201 }, random.fork("a"), transport);
  b.open(4, 5201, { address: a.address(4), port: 40_000 }, random.fork("b"), transport);
  const { simulation } = fabric.network;
  return () => {
    const before = b.stats.received;
    client.send(1000);
    simulation.run(simulation.now + 4e6);
    if (b.stats.received !== before + 1) throw new Error("the segment did not arrive");
  };
}

async function experiment(): Promise<() => unknown> {
  const { run } = await load("cli/run-experiment.ts");
  return async () => {
    const out = mkdtempSync(join(tmpdir(), "p4loom-walk-"));
    const [write, tell] = [process.stdout.write, process.stderr.write];
    process.stdout.write = process.stderr.write = () => true;
    try {
      const status = await run(join(root, "examples/pecmp-failover-small.yaml"), { out, runs: "1" });
      if (status !== 0) throw new Error(`the run ended with ${status}`);
    } finally {
      process.stdout.write = write;
      process.stderr.write = tell;
      rmSync(out, { recursive: true, force: true });
    }
  };
}

for (const [name, way] of Object.entries({ table, packet, experiment })) {
  const all = await modulesOf(way);
  const own = all.filter((file) => !file.startsWith("base/") && !file.endsWith("_pb.ts"));
  const rooms: Record<string, number> = {};
  for (const file of own) {
    const [wing, room] = file.split("/");
    const key = /^(toolchain|fabric|course)$/.test(wing!) ? room! : wing!;
    rooms[key] = (rooms[key] ?? 0) + 1;
  }
  console.log(
    JSON.stringify({
      walk: name,
      modules: own.length,
      base: all.length - own.length,
      rooms,
      ...(options.list ? { list: own } : {}),
    }),
  );
}
