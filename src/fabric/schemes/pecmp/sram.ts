/**
 * The capacity of a switch for groups and members. They are counted per pipeline; a switch stores the groups of
 * uplinks and of downlinks in different pipelines (P-ECMP, section 2.3).
 */
import { type ControlMatrix, memberCount, rowCount } from "./matrix.js";

export interface SwitchModel {
  readonly name: string;
  /** ECMP groups of one pipeline. */
  readonly groups: number;
  /** Slots of all groups of one pipeline together. */
  readonly members: number;
}

/** Known models; source: P-ECMP, section 2.3 (Trident 5). `bmv2` is limited only by memory. */
export const SWITCH_MODELS: Readonly<Record<string, SwitchModel>> = {
  trident5: { name: "trident5", groups: 8192, members: 65536 },
  bmv2: { name: "bmv2", groups: 1 << 24, members: 1 << 30 },
};

interface Demand {
  readonly groups: number;
  readonly members: number;
}

/** What the matrices of one direction of a switch need. */
export function demandOf(matrices: Iterable<ControlMatrix>): Demand {
  let groups = 0;
  let members = 0;
  for (const matrix of matrices) {
    groups += rowCount(matrix);
    members += memberCount(matrix);
  }
  return { groups, members };
}

/** Capacity for one version: transactional updates keep half of the space free (section 3.4). */
export function usableSpace(model: SwitchModel, transactional: boolean): Demand {
  const share = transactional ? 2 : 1;
  return { groups: Math.floor(model.groups / share), members: Math.floor(model.members / share) };
}
