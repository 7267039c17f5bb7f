/**
 * `p4loom/testbed`: labs of real processes on this machine: hosts in namespaces, our switch or BMv2, with or without Mininet,
 * and the agents of the hosts. Linux, root. Page: docs/testbed.md.
 */
export * from "../fabric/testbed/index.js";
