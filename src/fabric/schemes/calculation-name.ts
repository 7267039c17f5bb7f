/** Finds the calculation of a program that a setting refers to. */
import type { Device } from "../../toolchain/device/index.js";
import type { SwitchSetting } from "./scheme.js";

/** The name of a CRC's calculation in the program of a device; a number that the program does not have is returned as text. */
export function calculationName(
  { program }: Pick<Device, "program">,
  { calculation, width }: Extract<SwitchSetting, { kind: "crc" }>,
): string {
  if (typeof calculation === "string") return calculation;
  const own = program?.bmv2.calculations.filter(({ algo }) => algo === `crc${width}_custom`) ?? [];
  return own[calculation]?.name ?? `number ${calculation} of ${width} bits`;
}
