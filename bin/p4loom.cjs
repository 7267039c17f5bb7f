#!/usr/bin/env node
// The command as npm links it. It exists before the first build, so that links to it stay valid; the built command is
// dist/cli/main.js.
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const command = join(__dirname, "..", "dist", "cli", "main.js");
if (existsSync(command)) require(command);
else {
  console.error("p4loom is not built yet: run `make build` (or `npm ci && npm run build`) in its folder");
  process.exitCode = 1;
}
