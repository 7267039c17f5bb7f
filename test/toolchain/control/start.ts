/** A recorded program on the embedded switch with its P4Info, and statements on it. */
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { Interpreter, type Surroundings } from "../../../src/toolchain/control/index.js";
import { type P4Info, readP4Info } from "../../../src/toolchain/program/index.js";
import type { SwitchOptions } from "../../../src/toolchain/switch/index.js";
import { goldenText, startUnconfigured } from "../switch/golden.js";

export function p4infoOf(name: string): P4Info {
  const file = new SourceFile("p4info.txtpb", goldenText(name, `${name}.p4info.txtpb`)!);
  return readP4Info(file, "text", new Diagnostics())!;
}

export function start(name: string, surroundings: Surroundings = {}, options: Partial<SwitchOptions> = {}) {
  const started = startUnconfigured(name, p4infoOf(name), options);
  const interpreter = new Interpreter(started.device, surroundings);
  const say = async (text: string, stop?: AbortSignal) => {
    const diagnostics = new Diagnostics();
    const lines: string[] = [];
    const data: unknown[] = [];
    const output = { print: (line: string) => lines.push(line), data: (value: unknown) => data.push(value) };
    await interpreter.run(new SourceFile("shell", text), diagnostics, output, stop);
    return { lines, data, diagnostics, messages: diagnostics.list.map(formatDiagnostic) };
  };
  return { ...started, interpreter, say };
}
