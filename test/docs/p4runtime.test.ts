/** The examples of docs/p4runtime.md run, and the tests that it names are there. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { transform } from "esbuild";
import { afterEach, expect, it } from "vitest";
import { reconcile } from "../../src/toolchain/device/index.js";
import { connect, serve } from "../../src/toolchain/p4runtime/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { namesProgram } from "../toolchain/p4runtime/names-program.js";
import { destination, roomyProgram } from "../toolchain/p4runtime/program.js";
import { ManualClock } from "../toolchain/switch/golden.js";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/p4runtime.md"), "utf8");
const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]!);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** Runs an example with these things at hand; what it makes is closed afterwards. */
async function run(text: string, scope: Record<string, unknown>): Promise<void> {
  const { code } = await transform(text.replace(/^import .*\n/gm, ""), { loader: "ts", target: "es2022" });
  const at = {
    ...scope,
    connect: async (...args: Parameters<typeof connect>) => keep(await connect(...args)),
    serve: async (...args: Parameters<typeof serve>) => keep(await serve(...args)),
  };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor;
  await new AsyncFunction(...Object.keys(at), code)(...Object.values(at));
}

function keep<T extends { close(): Promise<void> }>(it: T): T {
  open.push(it);
  return it;
}

const makeSwitch = (): Switch => new Switch(undefined, { clock: new ManualClock(), transmit: () => {} });

it("serves and connects", async () => {
  const printed: unknown[] = [];
  const { entity } = destination(1);
  const device = makeSwitch();
  const text = blocks[0]!.replace("127.0.0.1:9559", "127.0.0.1:0");
  await run(text, {
    device,
    program: roomyProgram(),
    entity,
    console: { log: (each: unknown) => printed.push(each) },
  });
  expect(printed).toContainEqual(entity);
});

it("has names for numbers", async () => {
  const device = makeSwitch();
  const ports = { eth0: 1n };
  const server = keep(await serve(device, { address: "127.0.0.1:0", translations: { ports } }));
  const remote = keep(await connect(server.address));
  await remote.load(namesProgram());
  const packet = { metadata: { ingress_port: remote.names!.number("port_id_t", "eth0") } };
  await run(`${blocks[1]!}; seen.port = port;`, { remote, packet, seen: {} });
  expect(page).toContain('// "eth0"');
  expect(remote.names!.name("port_id_t", packet.metadata.ingress_port)).toBe("eth0");
});

it("comes back", async () => {
  const server = keep(await serve(makeSwitch(), { address: "127.0.0.1:0" }));
  await run(blocks[2]!, { address: server.address, program: roomyProgram(), desired: [], reconcile });
});

it("names tests that there are", () => {
  const folder = join(root, "test/toolchain/p4runtime");
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
  const known = new Set(files.map((name) => name.replace(".test.ts", "")));
  for (const line of page.split("\n")) {
    const shown = /^\| .* \| ([^|]+) \|$/.exec(line)?.[1];
    for (const part of shown?.split(";") ?? []) {
      const file = /^\s*([a-z-]+): /.exec(part)?.[1];
      if (file !== undefined) expect(known, line).toContain(file);
    }
  }
  expect(blocks).toHaveLength(3);
});
