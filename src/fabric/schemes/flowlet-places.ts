/** The key `flowlets` of schemes whose switches keep a choice for each flowlet: the number of flowlets that a switch stores. */
import { z } from "zod";

export const flowletPlaces = z
  .number()
  .int()
  .min(1)
  .max(2 ** 20)
  .default(4096);
