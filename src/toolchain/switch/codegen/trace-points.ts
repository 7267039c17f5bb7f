/**
 * Places of a program that its traced code reports, and its counting code counts (count-points.ts). Generated code names them by
 * number (`s.tracer.did(12)`), so that it contains no names of the program. The tracer (../trace) turns them into events.
 */
import type { bmv2 } from "../../program/index.js";
import type { KeyShape } from "../tables/shape.js";
import type { Emitter } from "./emitter.js";
import type { HeaderSlot } from "./layout.js";

export type TracePoint =
  | { readonly kind: "extract"; readonly header: HeaderSlot; readonly op: bmv2.ParserOp }
  | { readonly kind: "advance"; readonly op: bmv2.ParserOp }
  | {
      readonly kind: "transition";
      readonly from: string;
      readonly to: string | null;
      readonly key: readonly { text: string; width: number }[];
      readonly choice: string | undefined;
      readonly state: bmv2.ParseState;
      /** Undefined: no transition of the state matches. */
      readonly transition: bmv2.Transition | undefined;
    }
  /** A place where the parser may stop with an error. */
  | {
      readonly kind: "stop";
      readonly state: string;
      readonly reason: string;
      /** Undefined: between states. */
      readonly of: bmv2.ParseState | undefined;
    }
  | {
      readonly kind: "primitive";
      readonly primitive: bmv2.Primitive;
      readonly op: string;
      /** Of a counter, meter, register or calculation. */
      readonly resource: string;
      /** Of an assignment in a parser. */
      readonly parserOp?: bmv2.ParserOp;
    }
  | {
      readonly kind: "branch";
      readonly expression: bmv2.Value;
      readonly source: bmv2.SourceInfo | undefined;
      /** The parser's `verify`. */
      readonly verify?: bmv2.ParserOp;
    }
  | {
      readonly kind: "table";
      readonly number: number;
      readonly table: bmv2.Bmv2Table;
      readonly shape: KeyShape;
    }
  | { readonly kind: "checksum"; readonly checksum: bmv2.Checksum };

export type PointOf<Kind extends TracePoint["kind"]> = Extract<TracePoint, { kind: Kind }>;

export class TracePoints {
  readonly list: TracePoint[] = [];

  /** Text of the call of the tracer's `method` for a place, with more arguments. */
  call(method: string, point: TracePoint, ...more: readonly string[]): string {
    const number = this.list.push(point) - 1;
    return `s.tracer.${method}(${[number, ...more].join(", ")})`;
  }

  write(out: Emitter, method: string, point: TracePoint, ...more: readonly string[]): void {
    out.line(`${this.call(method, point, ...more)};`);
  }

  /** Text of a `log_msg` with its format and its values. */
  message(format: string, values: string): string {
    return `s.tracer.message(${format}, ${values})`;
  }

  /** Whether the values of a message are computed only where something takes the log. */
  get messagesForLogOnly(): boolean {
    return false;
  }

  /** Text of a selector's hash, which chooses among the handles in `slots`. */
  hashed(hash: string, slots: string): string {
    return `s.tracer.hashed(${hash}, ${slots})`;
  }

  /** Statement in front of a lookup in the table with this number. */
  before(table: number): string {
    return `s.tracer.before(${table});`;
  }

  /** Function that draws a random number, with the arguments of `PacketState.randomBetween`. */
  get draw(): string {
    return "s.tracer.drawn";
  }

  /** Text of what a hash leaves, modulo the 64-bit number `maxHigh`, `maxLow`. */
  reduced(rest: string, maxLow: string, maxHigh: string): string {
    return `s.tracer.reduced(${rest}, ${maxLow}, ${maxHigh})`;
  }

  /** Statement for the member that a table uses. */
  member(member: string): string {
    return `s.tracer.member(${member});`;
  }
}
