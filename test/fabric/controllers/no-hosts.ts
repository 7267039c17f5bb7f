import type { HostSession } from "../../../src/fabric/controllers/index.js";

/** The channel of a host that does not answer, for controllers that ask none. */
export const NO_HOST: HostSession = {
  ask: () => Promise.reject(new Error("no controller of this test asks a host")),
  watch: () => () => {},
};
