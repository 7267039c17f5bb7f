/** The commands of simple_switch_CLI, by name. */
import type { Commands } from "../command.js";
import { processCommands } from "./process-commands.js";
import { profileCommands } from "./profile-commands.js";
import { replicationCommands } from "./replication-commands.js";
import { resourceCommands } from "./resource-commands.js";
import { tableCommands } from "./table-commands.js";
import { targetCommands } from "./target-commands.js";

export const textCommands: Commands = {
  ...tableCommands,
  ...profileCommands,
  ...replicationCommands,
  ...resourceCommands,
  ...processCommands,
  ...targetCommands,
};
