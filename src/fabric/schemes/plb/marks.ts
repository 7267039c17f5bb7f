import { z } from "zod";
import type { ProgramPlan } from "../../../toolchain/generate/index.js";

/** Packets: DCTCP's K for links of 10 Gbit/s (Alizadeh et al., SIGCOMM 2010, section 4). */
const DCTCP_THRESHOLD = 65;

/** Absent: `queues.ecn_threshold` of the experiment, or 65. */
export const thresholdSchema = z.number().int().min(1).max(1_000_000).optional();

export function withThreshold(
  programs: readonly ProgramPlan[],
  threshold: number | undefined,
): readonly ProgramPlan[] {
  const ecn = threshold === undefined ? { threshold: DCTCP_THRESHOLD, isDefault: true } : { threshold };
  return programs.map((program) => ({ ...program, values: { ...program.values, ecn } }));
}
