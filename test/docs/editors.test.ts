/** The settings for Neovim and Emacs that docs/editors.md shows, in these editors, where they are installed. */
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

/** The actions of a user in the editor; each line that is printed is `name: value`. */
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

/** The same in Emacs. */
const EMACS_SESSION = `
(defun say (name value) (princ (format "%s: %s\\n" name value)))
(defun wait (holds)
  (let ((end (+ (float-time) 20)) (found nil))
    (while (and (not (setq found (funcall holds))) (< (float-time) end)) (accept-process-output nil 0.1))
    (if found "yes" "no")))
(defun place (text) (goto-char (point-min)) (search-forward text))
(with-current-buffer (find-file-noselect "ring.p4")
  (say "mode" major-mode)
  (run-hooks 'post-command-hook)
  (say "attached" (wait (lambda () (eglot-current-server))))
  (let ((messages (lambda () (flymake-start) (flymake-diagnostics))))
    (place "egress_spec = port")
    (replace-match "egress_spek = port")
    (eglot--signal-textDocument/didChange)
    (say "diagnostic" (wait messages))
    (say "message" (replace-regexp-in-string "\\n" " " (flymake-diagnostic-text (car (flymake-diagnostics)))))
    (let* ((at (flymake-diagnostic-beg (car (flymake-diagnostics))))
           (action (elt (eglot-code-actions at (1+ at) nil nil) 0)))
      (say "fix" (plist-get action :title))
      (eglot--apply-workspace-edit (plist-get action :edit)))
    (eglot--signal-textDocument/didChange)
    (say "clean" (wait (lambda () (not (funcall messages))))))
  (place "action forward")
  (backward-char 2)
  (eglot-rename "send_on")
  (say "renamed" (progn (place "action send_on") "yes"))
  (eglot-format-buffer)
  (place "egress_spec = port")
  (say "formatted" (buffer-substring (line-beginning-position) (line-end-position)))
  (set-buffer-modified-p nil))
`;
const EMACS = ["--batch", "--eval", "(progn (package-initialize) (require 'eglot))"];
const hasEglot = spawnSync("emacs", EMACS).status === 0;

/** The blocks of a language in docs/editors.md. */
function settings(language: string): string[] {
  const page = readFileSync(join(root, "docs/editors.md"), "utf8");
  const blocks = page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"));
  return [...blocks].map((block) => block[1]!);
}

/** Runs an editor in a folder with a program, with p4loom on PATH; the lines `name: value` that it prints. */
function told(command: string, args: readonly string[], files: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-editor-"));
  try {
    writeFileSync(join(folder, "p4loom"), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
    chmodSync(join(folder, "p4loom"), 0o755);
    writeFileSync(join(folder, "ring.p4"), readFileSync(join(root, "examples/exercise/ring.p4"), "utf8"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { stdout } = spawnSync(command, args, {
      cwd: folder,
      encoding: "utf8",
      timeout: 50_000,
      env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env["PATH"]}` },
    });
    return stdout.split("\n").filter((line) => /^\w+: /.test(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MESSAGE = "standard_metadata_t has no member 'egress_spek' did you mean 'egress_spec'?";

it.skipIf(version === undefined)("works in Neovim with the settings of the page", () => {
  const [recent, older] = settings("lua");
  const args = ["--headless", "-u", "init.lua", "ring.p4", "-c", "luafile session.lua", "-c", "qa!"];
  const files = { "init.lua": Number(version) < 8 ? older! : recent!, "session.lua": SESSION };
  expect(told("nvim", args, files)).toEqual([
    "attached: true",
    "diagnostic: true",
    `message: ${MESSAGE}`,
    "fix: Change to 'egress_spec'",
    "clean: true",
    "renamed: true",
    "formatted:         standard_metadata.egress_spec = port;",
  ]);
});

it.skipIf(!hasEglot)("works in Emacs with the settings of the page", () => {
  const files = { "init.el": settings("elisp")[0]!, "session.el": EMACS_SESSION };
  expect(told("emacs", [...EMACS, "-l", "init.el", "-l", "session.el"], files)).toEqual([
    "mode: p4-mode",
    "attached: yes",
    "diagnostic: yes",
    `message: p4loom [P40304]: ${MESSAGE}`,
    "fix: Change to 'egress_spec'",
    "clean: yes",
    "renamed: yes",
    "formatted:         standard_metadata.egress_spec = port;",
  ]);
});
