/**
 * Ids of the groups and matrices of one switch: a group of ports, and a list of groups by selector, keep their ids from plan to plan.
 * The id of a member is the number of its port, and so is the id of a group of one port.
 */
import type { Entity } from "../../../toolchain/device/index.js";
import { ingressName } from "../fabric.js";
import { DIRECTIONS, type Direction } from "../hash-settings.js";

/** Ids of groups of several ports are above all port numbers. */
const FIRST_SHARED_GROUP = 512;

export class ChoiceIds {
  readonly #groups = new Map<string, number>();
  readonly #matrices = new Map<string, number>();
  #nextGroup = FIRST_SHARED_GROUP;
  #nextMatrix = 1;

  /** @param entities groups and rows of matrices that the switch has */
  constructor(entities: readonly Entity[] = []) {
    const rows = new Map<string, { matrix: number; groups: number[] }>();
    for (const entity of entities) {
      if (entity.kind === "group") {
        const ports = entity.members.map(({ memberId }) => memberId).sort((a, b) => a - b);
        const way = DIRECTIONS.find((one) => entity.profile === ingressName(`${one}_members`));
        if (ports.length > 1 && way !== undefined) this.#groups.set(`${way} ${ports}`, entity.groupId);
        this.#nextGroup = Math.max(this.#nextGroup, entity.groupId + 1);
      } else if (entity.kind === "tableEntry" && entity.action?.kind === "group") {
        const way = DIRECTIONS.find((one) => entity.table === ingressName(`${one}_matrix`));
        if (way === undefined) continue;
        const field = (name: string) => {
          const match = entity.match.find((one) => one.field === name);
          return match?.kind === "exact" ? Number(match.value) : 0;
        };
        const matrix = field("meta.matrix");
        const own = rows.get(`${way} ${matrix}`) ?? { matrix, groups: [] };
        own.groups[field("meta.row")] = entity.action.groupId;
        rows.set(`${way} ${matrix}`, own);
        this.#nextMatrix = Math.max(this.#nextMatrix, matrix + 1);
      }
    }
    for (const [key, { matrix, groups }] of rows)
      this.#matrices.set(`${key.split(" ")[0]} ${groups}`, matrix);
  }

  /** Group of ascending ports. */
  group(direction: Direction, ports: readonly number[]): number {
    if (ports.length === 1) return ports[0]!;
    const key = `${direction} ${ports}`;
    let id = this.#groups.get(key);
    if (id === undefined) this.#groups.set(key, (id = this.#nextGroup++));
    return id;
  }

  /** Matrix by the groups of its rows. */
  matrix(direction: Direction, groups: readonly number[]): number {
    const key = `${direction} ${groups}`;
    let id = this.#matrices.get(key);
    if (id === undefined) this.#matrices.set(key, (id = this.#nextMatrix++));
    return id;
  }
}
