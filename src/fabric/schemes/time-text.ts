/** Times in the parameters of a scheme. Parameters are parsed a second time after they were read, so they keep the text. */
import { z } from "zod";
import { durationSchema } from "../topology/index.js";

export const timeText = z
  .string()
  .refine((text) => durationSchema.safeParse(text).success, { error: "expected a time such as 130ms" });

/** The value of a text that has passed {@link timeText}. */
export function nanoseconds(text: string): number {
  return durationSchema.parse(text);
}
