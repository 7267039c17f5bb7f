/** Copies of a packet on one path, and the packet that a deparser makes: what all architectures do alike. */
import type { Term } from "../solver/index.js";
import { PORT_BITS } from "./environment.js";
import type { Memory } from "./memory.js";
import { Packet } from "./packet.js";
import type { Parsed } from "./parser.js";
import type { Shared } from "./pass.js";
import { Unhandled } from "./unhandled.js";

/** Most copies of copies that a path follows. */
const MAX_COPIES = 2;

/** A packet and its copy are two packets, and a path follows one of them: whether it is the copy. */
export function followsCopy({ terms, chooser, environment, situation }: Shared, what: string): boolean {
  const { follows } = environment;
  if (situation.copies.length >= MAX_COPIES && follows !== "packet") {
    const limit = `more than ${MAX_COPIES} copies of a packet`;
    if (follows === "copy") throw new Unhandled(limit);
    situation.leftOut.add(limit);
    return false;
  }
  if (follows !== undefined) return follows === "copy";
  const ways = ["original", "copy"].map((which) => ({ label: `${what} ${which}`, condition: terms.true }));
  return chooser.choose(ways) === 1;
}

/** The one copy of a multicast group or a session that the path makes. */
export function addCopy(
  { terms, situation }: Shared,
  kind: "group" | "session",
  id: Term,
): { readonly port: Term; readonly instance: Term } {
  const number = situation.copies.length;
  const port = terms.variable(`${kind} ${number} port`, PORT_BITS);
  const instance =
    kind === "group" ? terms.variable(`${kind} ${number} instance`, 16) : terms.constant(0, 16);
  situation.copies.push({ kind, id, port, instance });
  return { port, instance };
}

/** The valid headers in the order of a deparser, then what the parser has not passed, be it of the packet's front or of its rest. */
export function deparsed(
  memory: Memory,
  order: readonly string[],
  { packet, parsed }: { readonly packet: Packet; readonly parsed: Parsed },
): Packet {
  const { terms, shapes } = memory;
  const headers = order
    .flatMap((name) => shapes.stacks.get(name)?.elements.flat() ?? [name])
    .filter((name) => memory.isValid(name))
    .flatMap((name) => shapes.header(name).fields.map((field) => memory.get(name, field.name)));
  const behind = packet.bits(8 * parsed.bytes, Math.max(0, packet.front.width - 8 * parsed.bytes));
  const rest = Math.max(packet.rest, packet.arrivedBytes(parsed.bytes));
  return new Packet(terms, terms.concat(...headers, behind), rest);
}
