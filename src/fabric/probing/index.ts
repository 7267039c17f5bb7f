/**
 * Measures the treatment of headers by a running switch: {@link Prober} requests the ports of packets, {@link probeChoice} finds
 * the offsets of a choice and whether it is linear. Clock and device are handed in.
 */
export {
  type ChoiceProbe,
  controlProbeBits,
  type ProbeBit,
  type ProbeCounterexample,
  type ProbedChoice,
  probeChoice,
} from "./choice.js";
export { type ProbeHeader, REFERENCE_SOURCE_BITS, referenceProbe } from "./probe-frame.js";
export { DROPPED, Prober, type ProberOptions } from "./prober.js";
