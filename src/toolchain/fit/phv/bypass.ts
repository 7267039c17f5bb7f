/** Bytes that go past the pipeline: on Tofino 2, neighbouring bytes of a parsed header that no table touches (p4c's CLOTs). */
import type { AllocationInput, Bypass } from "./allocation.js";
import type { Arrangement } from "./device.js";
import type { Piece } from "./piece.js";

/** The bypasses of a gress, and the pieces that are left for containers. A packet has at most so many bypasses as the chip states. */
export function bypassesOf(
  { model }: AllocationInput,
  { bypasses, bypass_bytes: most }: Arrangement,
  pieces: readonly Piece[],
): { taken: Bypass[]; left: Piece[] } {
  const runs: { bypass: Bypass; pieces: Piece[] }[] = [];
  const able = pieces.filter(
    ({ isTouched, bytes, gress }) =>
      !isTouched &&
      bytes !== undefined &&
      model.parser.isParsed(gress, bytes.header) &&
      model.parser.isSent(gress, bytes.header) &&
      !model.parser.isMade(bytes.header),
  );
  if (bypasses === null || bypasses === 0 || most === null) return { taken: [], left: [...pieces] };
  for (const piece of able) {
    const { header, first } = piece.bytes!;
    const bytes = piece.size / 8;
    const last = runs.at(-1);
    const continues =
      last !== undefined &&
      last.bypass.header === header &&
      last.bypass.firstByte + last.bypass.bytes === first &&
      last.bypass.bytes + bytes <= most;
    if (continues) {
      last.bypass = { ...last.bypass, bytes: last.bypass.bytes + bytes };
      last.pieces.push(piece);
    } else runs.push({ bypass: { gress: piece.gress, header, firstByte: first, bytes }, pieces: [piece] });
  }
  const taken: Bypass[] = [];
  const gone = new Set<Piece>();
  for (const run of [...runs].sort((a, b) => b.bypass.bytes - a.bypass.bytes)) {
    const all = [...taken, run.bypass];
    const together = (header: string) =>
      all.filter((other) => !model.parser.exclusiveHeaders(header, other.header)).length;
    if (all.some(({ header }) => together(header) > bypasses)) continue;
    taken.push(run.bypass);
    for (const piece of run.pieces) gone.add(piece);
  }
  return { taken, left: pieces.filter((piece) => !gone.has(piece)) };
}
