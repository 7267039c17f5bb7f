/**
 * A lab for pages on this machine: {@link readLabProject} makes a project from the path that the user gives,
 * {@link openSimulatedLab} and {@link openTestbedLab} start its network, {@link serveLab} serves it on the loopback address.
 * `guard.ts` controls the access. {@link openRoom} has a lab for each student of a list.
 */

export type { PublicAddress } from "./guard.js";
export { languageFiles } from "./languages.js";
export { type OpenLab, openSimulatedLab, openTestbedLab } from "./open-lab.js";
export { pageFiles, pageFolder } from "./page-files.js";
export { readLabProject } from "./read-project.js";
export { openRoom, type Room, type RoomStatus, type StudentStatus } from "./room/room.js";
export { serveSeat } from "./room/seat-process.js";
export { type LabServer, serveLab, servePlaces } from "./server.js";
