/**
 * What the `pa_*` pragmas of a program ask of its fields, by the rules of p4c, backends/tofino/bf-p4c/phv/pragma.
 */
import type { bmv2 } from "../../program/index.js";
import type { Gress } from "../model/model.js";
import type { ContainerSize } from "./pack.js";

/**
 * `normal`: for all uses. `mocha`: tables only set it whole. `dark`: moreover unknown to parser, deparser and match. `tagalong`: for
 * parser and deparser alone.
 */
export type ContainerKind = "normal" | "mocha" | "dark" | "tagalong";

/** What the pragmas ask of one field in one gress. */
interface FieldRequest {
  /** `@pa_container_size`: the sizes of its containers; one size is that of all of them. */
  readonly sizes?: readonly ContainerSize[];
  /** `@pa_container_type`. */
  readonly kind?: ContainerKind;
  /** `@pa_solitary`: no other field in its containers. */
  readonly isSolitary?: boolean;
  /** `@pa_no_overlay` without a second field: nothing else at another time in its containers. */
  readonly hasOwnPlace?: boolean;
  /** `@pa_atomic`: in one container. */
  readonly isAtomic?: boolean;
  /** `@pa_no_init`: the program writes it before it reads it, whatever the control flow says. */
  readonly isSetFirst?: boolean;
  readonly source?: bmv2.SourceInfo | undefined;
}

export interface PhvRequests {
  of(gress: Gress, field: string): FieldRequest | undefined;
  /** `@pa_mutually_exclusive`: no packet has both, so they may share a place. */
  excludes(gress: Gress, a: string, b: string): boolean;
  /** `@pa_no_overlay` of two or more fields. */
  keepsApart(gress: Gress, a: string, b: string): boolean;
}

export const NO_REQUESTS: PhvRequests = {
  of: () => undefined,
  excludes: () => false,
  keepsApart: () => false,
};
