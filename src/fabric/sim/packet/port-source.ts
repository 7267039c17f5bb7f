/** The ports of a switch, for its control channel. */
export interface PortSource {
  /** Ports that have lost their carrier. */
  readonly downPorts: ReadonlySet<number>;
  /** Calls back after each change of {@link downPorts}; returns a function that ends this. */
  watchPorts(listener: () => void): () => void;
}

/** Ports that are always up. */
export const STEADY_PORTS: PortSource = { downPorts: new Set(), watchPorts: () => () => {} };
