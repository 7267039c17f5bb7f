/** What P4Runtime servers do differently. */

/** How messages are written for the other side. */
export interface Dialect {
  /** Ports as integers in the deprecated fields: for servers before P4Runtime 1.4, such as BMv2. */
  readonly legacyPorts: boolean;
}
