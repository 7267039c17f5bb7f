/** Written by hand: the generated protocol imports P4Info from here, and P4Info lives in the room `program`. */
import { p4info } from "../../../../../program/index.js";

export type P4Info = p4info.P4Info;
export const file_p4_config_v1_p4info = p4info.file_p4_config_v1_p4info;
