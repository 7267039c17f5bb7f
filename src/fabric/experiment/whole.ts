/** Whole numbers in experiment files. */
import { z } from "zod";

export const whole = (what: string, least: number, most: number) => {
  const error = `expected ${what}, a whole number from ${least} to ${most}`;
  return z.number({ error }).int(error).min(least, error).max(most, error);
};
