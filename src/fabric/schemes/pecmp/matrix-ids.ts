/** Ids of the matrices of one switch, with their groups and members: a matrix keeps its ids from plan to plan. */
import type { Entity } from "../../../toolchain/device/index.js";
import { ingressName } from "../fabric.js";
import { DIRECTIONS } from "../hash-settings.js";
import type { CompiledMatrix } from "./compile.js";

const MATRICES: readonly string[] = DIRECTIONS.map((way) => ingressName(`${way}_matrix`));

export interface MatrixId {
  readonly matrix: number;
  /** Its members and its groups have consecutive ids. */
  readonly firstMember: number;
  readonly firstGroup: number;
}

/** Number of members that one matrix needs in the action selector. */
export function memberIds({ matrix }: Pick<CompiledMatrix, "matrix">): number {
  return 2 * matrix.base.length - 1;
}

export class MatrixIds {
  readonly #known = new Map<string, MatrixId>();
  /** Ids above all that are in use. */
  #next: MatrixId = { matrix: 1, firstMember: 1, firstGroup: 1 };
  /** Ids in use; undefined for a switch that has nothing. */
  readonly #used: Readonly<Record<keyof MatrixId, Set<number>>> | undefined;

  /** @param entities groups, members and rows of matrices that the switch has */
  constructor(entities: readonly Entity[] = []) {
    const ports = new Map<number, number>();
    const groups = new Map<number, number[]>();
    /** By matrix: the groups of its rows. */
    const rows = new Map<number, number[]>();
    for (const entity of entities) {
      if (entity.kind === "member") ports.set(entity.memberId, Number(entity.action.params["port"]));
      else if (entity.kind === "group") {
        const members = entity.members.map(({ memberId }) => memberId);
        groups.set(
          entity.groupId,
          members.sort((a, b) => a - b),
        );
      } else if (entity.kind === "tableEntry" && MATRICES.includes(entity.table)) {
        if (entity.action?.kind !== "group") continue;
        const field = (name: string) => {
          const match = entity.match.find((one) => one.field === name);
          return match?.kind === "exact" ? Number(match.value) : 0;
        };
        const own = rows.get(field("meta.matrix")) ?? [];
        own[field("meta.row")] = entity.action.groupId;
        rows.set(field("meta.matrix"), own);
      }
    }
    for (const [matrix, own] of rows) {
      // Row 0 is the base group.
      const members = groups.get(own[0]!);
      if (members === undefined) continue;
      const key = keyOf(
        members.map((id) => ports.get(id)!),
        own.length,
      );
      this.#known.set(key, { matrix, firstMember: members[0]!, firstGroup: own[0]! });
    }
    if (entities.length > 0)
      this.#used = {
        matrix: new Set(rows.keys()),
        firstMember: new Set(ports.keys()),
        firstGroup: new Set(groups.keys()),
      };
  }

  /** The ids of a matrix, new ones if it has none. */
  of(compiled: CompiledMatrix): MatrixId {
    const { matrix, rows } = compiled;
    const key = keyOfMatrix(compiled);
    let id = this.#known.get(key);
    if (id === undefined) {
      const sizes = { matrix: 1, firstMember: memberIds({ matrix }), firstGroup: rows.length };
      id = this.#used === undefined ? this.#next : this.#free(sizes);
      this.#known.set(key, id);
      if (this.#used === undefined)
        this.#next = {
          matrix: id.matrix + sizes.matrix,
          firstMember: id.firstMember + sizes.firstMember,
          firstGroup: id.firstGroup + sizes.firstGroup,
        };
    }
    return id;
  }

  /** The first free ids, consecutive: those of removed matrices are reused. */
  #free(sizes: MatrixId): MatrixId {
    const take = (kind: keyof MatrixId) => {
      const used = this.#used![kind];
      const size = sizes[kind];
      let first = 1;
      for (let id = 1; id < first + size; id++) if (used.has(id)) first = id + 1;
      for (let id = first; id < first + size; id++) used.add(id);
      return first;
    };
    return { matrix: take("matrix"), firstMember: take("firstMember"), firstGroup: take("firstGroup") };
  }
}

const keys = new WeakMap<CompiledMatrix, string>();

/** Matrices with the same next hops and rows have the same key. */
function keyOfMatrix(compiled: CompiledMatrix): string {
  let key = keys.get(compiled);
  if (key === undefined) {
    const { ports, matrix, rows } = compiled;
    key = keyOf(
      Array.from(matrix.base, (cell) => ports[cell]!),
      rows.length,
    );
    keys.set(compiled, key);
  }
  return key;
}

/** The base group and the number of rows identify a matrix: the control is the same in the whole fabric. */
function keyOf(base: readonly number[], rows: number): string {
  return `${base.join(" ")} / ${rows}`;
}
