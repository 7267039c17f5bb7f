/**
 * Runs before each test file (`setupFiles` of vitest.config.ts): every property test has a seed. Files of one worker share
 * fast-check's settings, so what one file sets ends with that file.
 */
import fc from "fast-check";
import { FUZZ_SETTINGS } from "./fuzz-seed.js";

fc.configureGlobal(FUZZ_SETTINGS);
