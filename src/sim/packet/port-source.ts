/** The ports of a switch, as its control channel asks for them. */
export interface PortSource {
  /** Ports that have lost their carrier. */
  readonly downPorts: ReadonlySet<number>;
  /** Calls back after each change of {@link downPorts}; returns how to stop. */
  watchPorts(listener: () => void): () => void;
}

/** Ports that are always up. */
export const STEADY_PORTS: PortSource = { downPorts: new Set(), watchPorts: () => () => {} };
