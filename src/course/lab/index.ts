/**
 * The interactive lab: a network that users watch and change; it runs in Node and in a worker of a browser. Open `protocol.ts`
 * first: the messages between a page and a lab. {@link LabSession} is a lab on the simulator for a {@link LabProject};
 * {@link answerCall} checks and answers a message of a page, for a server and for a worker.
 */

export type { PacketTrace } from "../../toolchain/switch/index.js";
export { CODES as LAB_CODES } from "./codes.js";
export { checkTranslations, exerciseTests } from "./exercise-tests.js";
export { ProjectFiles } from "./files.js";
export { storyOf } from "./follow/story-book.js";
export { TraceFollower } from "./follow/trace-follower.js";
export type { Handlers } from "./handler-types.js";
export { answer, sharedHandlers, useChanged } from "./handlers.js";
export { layOut } from "./layout.js";
export { Outbox } from "./outbox.js";
export type { LabTimers } from "./pacer.js";
export { buildPacket } from "./packets/build.js";
export { formatsOf, WELL_KNOWN_HEADERS } from "./packets/formats.js";
export { planOf } from "./plan.js";
export type { LabPlan, LabProject, PlannedHost, PlannedSwitch } from "./project.js";
export { addressValue, DEFAULT_LINK } from "./project.js";
export * from "./protocol.js";
export {
  type ControlledNetwork,
  type LabScheme,
  type SchemeControl,
  type SchemeFacts,
  schemeNotes,
} from "./scheme.js";
export { answerCall, type LabService } from "./service.js";
export { LabSession, type LabSessionOptions } from "./session.js";
export { SwitchBoard } from "./switch-board.js";
export type { LabTests } from "./tests.js";
