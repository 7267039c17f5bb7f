/**
 * Fields of headers that tables make valid, and fields that an action or a key has together with them: they have places of their own although
 * the headers exclude each other (p4c, phv/analysis/mutex_overlay.cpp, ExcludeMAUOverlays).
 */
import type { FieldInfo, FitModel, Gress } from "../model/model.js";
import type { GressUse } from "./gress-use.js";

/** Pairs of fields of one gress that need places of their own. */
export class MadeFields {
  readonly #pairs = new Map<string, Set<string>>();

  constructor(
    readonly model: FitModel,
    use: GressUse,
  ) {
    for (const { key, actions } of use.units) {
      this.#add(key.map(({ access }) => access.field));
      for (const { reads, writes } of actions) {
        this.#add(reads.map(({ field }) => field));
        this.#add(writes.map(({ field }) => field));
      }
    }
  }

  meet(a: string, b: string): boolean {
    return this.#pairs.get(a)?.has(b) === true;
  }

  #isMade(field: string): boolean {
    const info = this.model.fields.get(field);
    return info !== undefined && !info.metadata && this.model.parser.isMade(info.header);
  }

  #add(fields: readonly string[]): void {
    for (const a of fields.filter((field) => this.#isMade(field)))
      for (const b of fields) {
        if (a === b) continue;
        this.#pairs.set(a, (this.#pairs.get(a) ?? new Set()).add(b));
        this.#pairs.set(b, (this.#pairs.get(b) ?? new Set()).add(a));
      }
  }
}

/**
 * Fields of two headers never meet: no packet has both headers, or the parser never extracts both and the deparser does not send one of
 * them. A table that makes a header valid where the other one is takes away only what is needed after it (p4c, phv/analysis/header_mutex.cpp,
 * can_preserve_field_mutex: of fields that are not sent those alone that tables two branches below it have).
 */
export function areFieldsApart({ parser }: FitModel, gress: Gress, a: FieldInfo, b: FieldInfo): boolean {
  if (parser.exclusiveHeaders(a.header, b.header)) return true;
  const isSent = ({ header }: FieldInfo) => parser.isSent(gress, header);
  return parser.parsedApart(a.header, b.header) && !(isSent(a) && isSent(b));
}
