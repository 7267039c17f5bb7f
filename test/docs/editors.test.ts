/** The settings for Neovim that docs/editors.md shows, in Neovim, where it is installed. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const version = /NVIM v0\.(\d+)/.exec(
  spawnSync("nvim", ["--version"], { encoding: "utf8" }).stdout ?? "",
)?.[1];

/** What somebody does in the editor; each line that is printed is `name: value`. */
const SESSION = `
local buf = vim.api.nvim_get_current_buf()
local function wait(holds) return vim.wait(15000, holds, 50) end
local function say(name, value) io.stdout:write(name .. ": " .. tostring(value) .. "\\n") end
local function line(n) return vim.api.nvim_buf_get_lines(buf, n - 1, n, false)[1] end
local function number(text) for n = 1, vim.api.nvim_buf_line_count(buf) do if line(n):find(text, 1, true) then return n end end end
local function ask(method, extra)
  local params = vim.tbl_extend("force", { textDocument = vim.lsp.util.make_text_document_params() }, extra)
  for _, answer in pairs(vim.lsp.buf_request_sync(buf, method, params, 10000) or {}) do return answer.result end
end
say("attached", wait(function() local c = vim.lsp.get_active_clients()[1]; return c and c.initialized end))
local at = number("egress_spec = port")
vim.api.nvim_buf_set_lines(buf, at - 1, at, false, { "standard_metadata.egress_spek = port;" })
say("diagnostic", wait(function() return #vim.diagnostic.get(buf) > 0 end))
say("message", (vim.diagnostic.get(buf)[1].message:gsub("\\n", " ")))
local range = { start = { line = at - 1, character = 0 }, ["end"] = { line = at - 1, character = 30 } }
local fix = ask("textDocument/codeAction", { range = range, context = { diagnostics = {} } })[1]
say("fix", fix.title)
vim.lsp.util.apply_workspace_edit(fix.edit, "utf-16")
say("clean", wait(function() return #vim.diagnostic.get(buf) == 0 end))
vim.api.nvim_win_set_cursor(0, { number("action forward"), 16 })
vim.lsp.buf.rename("send_on")
say("renamed", wait(function() return number("action send_on") ~= nil end))
if vim.lsp.buf.formatting_sync then vim.lsp.buf.formatting_sync(nil, 10000) else vim.lsp.buf.format({ timeout_ms = 10000 }) end
say("formatted", line(number("egress_spec = port")))
vim.cmd("qa!")
`;

it.skipIf(version === undefined)("works in Neovim with the settings of the page", () => {
  const page = readFileSync(join(root, "docs/editors.md"), "utf8");
  const [recent, older] = [...page.matchAll(/```lua\n([\s\S]*?)```/g)].map((block) => block[1]!);
  const folder = mkdtempSync(join(tmpdir(), "p4loom-neovim-"));
  try {
    writeFileSync(join(folder, "p4loom"), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
    chmodSync(join(folder, "p4loom"), 0o755);
    writeFileSync(join(folder, "init.lua"), Number(version) < 8 ? older! : recent!);
    writeFileSync(join(folder, "session.lua"), SESSION);
    writeFileSync(join(folder, "ring.p4"), readFileSync(join(root, "examples/exercise/ring.p4"), "utf8"));
    const { stdout } = spawnSync(
      "nvim",
      ["--headless", "-u", "init.lua", "ring.p4", "-c", "luafile session.lua", "-c", "qa!"],
      {
        cwd: folder,
        encoding: "utf8",
        timeout: 50_000,
        env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env["PATH"]}` },
      },
    );
    expect(stdout.split("\n").filter((line) => /^\w+: /.test(line))).toEqual([
      "attached: true",
      "diagnostic: true",
      "message: standard_metadata_t has no member 'egress_spek' did you mean 'egress_spec'?",
      "fix: Change to 'egress_spec'",
      "clean: true",
      "renamed: true",
      "formatted:         standard_metadata.egress_spec = port;",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
