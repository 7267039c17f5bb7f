/**
 * Where the parts of a parser stand in the source. BMv2 JSON has no `source_info` for states, statements and transitions of parsers
 * (p4c writes none), so the places are kept beside the objects of a program that was compiled in this process.
 */
import type { Span } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { sourceInfo } from "./source-info.js";

type ParserPart = bmv2.ParseState | bmv2.ParserOp | bmv2.Transition;

const places = new WeakMap<ParserPart, Span>();

export function keepParserPlace<Part extends ParserPart>(part: Part, span: Span | undefined): Part {
  if (span !== undefined) places.set(part, span);
  return part;
}

/** Undefined for a part that was read from a file, and for a part that the compiler made. */
export function parserPlace(part: ParserPart): bmv2.SourceInfo | undefined {
  return sourceInfo(places.get(part)).source_info;
}
