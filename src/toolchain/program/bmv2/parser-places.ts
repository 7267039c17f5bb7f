/**
 * Where the parts of a parser stand in the source. BMv2 JSON has no `source_info` for states, statements and transitions of parsers
 * (p4c writes none), so the places are kept beside the objects of a program that was compiled in this process.
 */
import type { ParserOp, ParseState, SourceInfo, Transition } from "../bmv2.js";

export type ParserPart = ParseState | ParserOp | Transition;

const places = new WeakMap<ParserPart, () => SourceInfo | undefined>();

/** @param place is asked for the place when somebody wants it */
export function placeParserPart(part: ParserPart, place: () => SourceInfo | undefined): void {
  places.set(part, place);
}

/** Undefined for a part that was read from a file, and for a part that the compiler made. */
export function parserPlace(part: ParserPart): SourceInfo | undefined {
  return places.get(part)?.();
}
