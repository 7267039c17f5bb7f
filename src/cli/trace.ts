/** `p4loom trace`: shows what happened to packets. */
import { traceLines } from "../toolchain/daemon/index.js";
import { readSourceIfThere } from "../toolchain/loading/index.js";
import { readTraces, SourceLines, Story, wanted } from "../toolchain/trace/index.js";
import { EXIT } from "./outcome.js";
import { filterOf, isProgram, packetOf, type TraceArguments } from "./trace/trace-options.js";
import { tryPacket } from "./trace/try-packet.js";

/**
 * Prints the packets of a trace file that the options choose, or sends one packet through a program and prints its
 * trace; as text for people, or as JSON lines.
 */
export async function trace(path: string, args: TraceArguments): Promise<number> {
  const colours = process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === "";
  const sources = new SourceLines(args.source, (file) => readSourceIfThere(file)?.text);
  const story = new Story(sources, colours);
  const print = (lines: readonly string[]) => process.stdout.write(`${lines.join("\n")}\n`);
  if (isProgram(path)) {
    const packet = await tryPacket(packetOf(path, args));
    print(args.json ? [JSON.stringify(packet)] : story.of(packet));
    return EXIT.success;
  }
  const filter = filterOf(path, args);
  let first = true;
  for await (const { packet, line } of readTraces(path === "-" ? "stdin" : path, traceLines(path))) {
    if (!wanted(packet, filter)) continue;
    if (args.json) print([line]);
    else print(first ? story.of(packet) : ["", ...story.of(packet)]);
    first = false;
  }
  return EXIT.success;
}
