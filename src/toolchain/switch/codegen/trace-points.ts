/**
 * Places of a program that its traced code reports. Generated code names them by number (`s.tracer.did(12)`), so that it contains
 * no names of the program. The tracer (../trace) turns them into events.
 */
import type { bmv2 } from "../../program/index.js";
import type { KeyShape } from "../tables/shape.js";
import type { Emitter } from "./emitter.js";
import type { HeaderSlot } from "./layout.js";

export type TracePoint =
  | { readonly kind: "extract"; readonly header: HeaderSlot }
  | { readonly kind: "advance" }
  | {
      readonly kind: "transition";
      readonly from: string;
      readonly to: string | null;
      readonly key: readonly { text: string; width: number }[];
      readonly choice: string | undefined;
    }
  /** A place where the parser may stop with an error. */
  | { readonly kind: "stop"; readonly state: string; readonly reason: string }
  | {
      readonly kind: "primitive";
      readonly primitive: bmv2.Primitive;
      readonly op: string;
      /** Of a counter, meter, register or calculation. */
      readonly resource: string;
    }
  | {
      readonly kind: "branch";
      readonly expression: bmv2.Value;
      readonly source: bmv2.SourceInfo | undefined;
      /** The parser's `verify`. */
      readonly verify?: true;
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
}
