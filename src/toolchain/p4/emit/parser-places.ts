/** Keeps where the parts of a parser stand in the source, beside the BMv2 JSON that has no field for it. */
import type { Span } from "../../../base/index.js";
import { type ParserPart, placeParserPart } from "../../program/index.js";
import { sourceInfo } from "./source-info.js";

export function keepParserPlace<Part extends ParserPart>(part: Part, span: Span | undefined): Part {
  if (span !== undefined) placeParserPart(part, () => sourceInfo(span).source_info);
  return part;
}
