/** Style sheet of the page: light and dark by what the reader's system prefers, no script, no other file. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #f5f6f7; --paper: #fff; --text: #22282e; --faint: #5b6570; --line: #e1e4e8; --strong: #c9ced3; --good: #0b6b3a; --bad: #a8200d; }
@media (prefers-color-scheme: dark) {
  :root { --page: #101316; --paper: #181c20; --text: #dfe4e8; --faint: #98a2ab; --line: #2b3137; --strong: #454d55; --good: #57c78b; --bad: #ff8f78; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 960px; margin: 24px auto; padding: 28px 36px 36px; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 34px 0 8px; }
h3 { font-size: 15px; margin: 22px 0 4px; }
.lead { font-size: 16px; margin: 0 0 12px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0; font-size: 13px; }
.legend svg { vertical-align: middle; margin-right: 6px; }
.panels { display: flex; flex-wrap: wrap; gap: 8px 24px; }
figure { margin: 0 0 8px; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption, .note { color: var(--faint); font-size: 13px; margin: 4px 0 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13.5px; min-width: 60%; }
th { text-align: right; font-weight: 600; font-size: 12.5px; color: var(--faint); border-bottom: 1.5px solid var(--strong); padding: 4px 8px; vertical-align: bottom; }
td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: top; }
th.word, td.word { text-align: left; }
td.text { text-align: left; white-space: normal; min-width: 180px; }
td small { color: var(--faint); font-size: 11.5px; margin-left: 5px; }
tr.first td { border-top: 1.5px solid var(--strong); }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
details { margin: 6px 0; } summary { cursor: pointer; }
details > h3 { margin-left: 0; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow: auto; font-size: 12.5px; line-height: 1.4; }
`;
