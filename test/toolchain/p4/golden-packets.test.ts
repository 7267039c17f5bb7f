/**
 * Our compiler's output in our switch sends exactly the packets that p4c's output sent in BMv2. `config.txt` holds
 * the commands that were given to the switch before.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../../src/base/index.js";
import { runCommands } from "../../../src/toolchain/control/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";

const golden = join(import.meta.dirname, "../../golden");

interface Frame {
  port: number;
  hex: string;
}

interface Exchange {
  in: Frame;
  out: Frame[];
}

function load(name: string): Exchange[] {
  return JSON.parse(readFileSync(join(golden, name), "utf8")) as Exchange[];
}

/** Compiles the program, loads and configures a switch; the result answers a frame with what it sends, by port. */
async function bringUp(name: string, configured: boolean): Promise<(frame: Frame) => Frame[]> {
  const file = new SourceFile(`${name}.p4`, readFileSync(join(golden, name, `${name}.p4`), "utf8"));
  const { program } = compile({ file }, new Diagnostics())!;
  const out: Frame[] = [];
  let now = 0;
  const node = new Switch(program, {
    clock: { now: () => now, at: () => () => undefined },
    transmit: (port, frame) => out.push({ port, hex: toHex(frame) }),
  });
  const config = join(golden, name, "config.txt");
  if (configured && existsSync(config)) {
    const diagnostics = new Diagnostics();
    await runCommands(node, new SourceFile("config.txt", readFileSync(config, "utf8")), diagnostics);
    expect(diagnostics.list).toEqual([]);
  }
  return ({ port, hex }) => {
    out.length = 0;
    now += 1_000_000;
    node.receive(port, fromHex(hex)!);
    return [...out].sort((a, b) => a.port - b.port);
  };
}

/** The loops of `control` were recorded as p4c compiles them: once through each body. See docs/conformance.md. */
function isLoopTest(name: string, exchange: Exchange): boolean {
  return name === "control" && exchange.in.hex.startsWith("06");
}

const names = [
  "arith",
  "arith_signed",
  "arith_misc",
  "control",
  "cpu",
  "hash",
  "l3",
  "memory",
  "parse",
  "queue",
  "replicate",
  "selector",
];

describe("recorded packets", () => {
  it.each(names)("%s", async (name) => {
    const send = await bringUp(name, true);
    const exchanges = load(join(name, "packets.json"));
    expect(exchanges.length).toBeGreaterThan(200);
    for (const exchange of exchanges) {
      const out = send(exchange.in);
      if (!isLoopTest(name, exchange)) expect({ in: exchange.in, out }).toEqual(exchange);
    }
  });

  it("hash, before its calculations are configured", async () => {
    const send = await bringUp("hash", false);
    for (const exchange of load("hash/packets_unconfigured.json"))
      expect({ in: exchange.in, out: send(exchange.in) }).toEqual(exchange);
  });
});

it("loops run as the specification says", async () => {
  const send = await bringUp("control", true);
  const tests = load("control/packets.json").filter((exchange) => isLoopTest("control", exchange));
  expect(tests.length).toBe(40);
  for (const { in: frame } of tests) {
    const [, x, y, z] = fromHex(frame.hex)!;
    let sum = 0;
    for (let i = 0; i < 6; i++) {
      if (i === x) continue;
      if (i === y) break;
      sum += i + 1;
    }
    let products = 0;
    for (let k = 2; k <= 5; k++) products += k * z!;
    let n = 0;
    for (let row = 0; row < 3; row++) for (let column = 0; column <= row; column++) n += row ^ x!;
    const result = [0x80, n, products, sum].map((value) => value & 0xff);
    const trace = "00000000000000ef";
    const hex = toHex(Uint8Array.of(6, x!, y!, z!)) + trace + toHex(Uint8Array.from(result));
    expect(send(frame)).toEqual([{ port: 1, hex: hex + frame.hex.slice(hex.length) }]);
  }
});
