/** Our compiler's output in our switch sends exactly the packets that p4c's output sent in BMv2. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../src/base/index.js";
import { compile } from "../../src/p4/index.js";
import { Switch } from "../../src/switch/index.js";

const golden = join(import.meta.dirname, "../golden");

interface Frame {
  port: number;
  hex: string;
}

/** Programs whose packets need no control plane. */
const names = ["arith", "arith_signed", "arith_misc"].filter((name) =>
  existsSync(join(golden, name, "packets.json")),
);

describe.each(names)("%s", (name) => {
  it("sends the recorded packets", () => {
    const file = new SourceFile(`${name}.p4`, readFileSync(join(golden, name, `${name}.p4`), "utf8"));
    const { program } = compile({ file }, new Diagnostics())!;
    const out: Frame[] = [];
    let now = 0;
    const node = new Switch(program, {
      clock: { now: () => now, at: () => () => undefined },
      transmit: (port, frame) => out.push({ port, hex: toHex(frame) }),
    });
    const packets = JSON.parse(readFileSync(join(golden, name, "packets.json"), "utf8")) as {
      in: Frame;
      out: Frame[];
    }[];
    expect(packets.length).toBeGreaterThan(300);
    for (const packet of packets) {
      out.length = 0;
      now += 1000;
      node.receive(packet.in.port, fromHex(packet.in.hex)!);
      expect({ in: packet.in, out }).toEqual(packet);
    }
  });
});
