/** The page that a report is: one file that needs nothing else. */
import { htmlPage } from "../base/index.js";

/** `body`: HTML, one piece a line. */
export function reportPage(title: string, body: readonly string[]): string {
  return htmlPage(title, STYLE, ["<main>", ...body, "</main>"]);
}

/** Inside a page an SVG needs no namespace of its own. */
export function inline(svg: string): string {
  return svg.replace(' xmlns="http://www.w3.org/2000/svg"', "");
}

const STYLE = `
:root { color-scheme: light; }
body { margin: 0; background: #f5f6f7; color: #22282e; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 940px; margin: 24px auto; padding: 28px 36px 36px; background: #fff; border: 1px solid #e1e4e8; border-radius: 8px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 17px; margin: 30px 0 8px; }
.lead { font-size: 16px; margin: 0 0 18px; }
figure { margin: 0; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption, .note { color: #5b6570; font-size: 13px; margin: 6px 0 0; }
.before { color: #c8321a; } .after { color: #0b5cad; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; font-size: 13px; color: #5b6570; border-bottom: 1.5px solid #c9ced3; padding: 5px 8px; }
td { text-align: right; padding: 5px 8px; border-bottom: 1px solid #eceff1; white-space: nowrap; }
th.word, td.word { text-align: left; }
td small { color: #828b94; font-size: 12px; margin-left: 6px; }
tr.first td { border-top: 1.5px solid #dfe3e6; }
.parameters td:first-child { color: #5b6570; width: 220px; }
.parameters td { text-align: left; white-space: normal; padding: 3px 8px; }
.good { font-weight: 600; color: #0b5cad; }
details { margin: 6px 0; } summary { cursor: pointer; }
pre { background: #f5f6f7; border: 1px solid #e1e4e8; border-radius: 6px; padding: 10px 12px; overflow: auto; font-size: 12.5px; line-height: 1.4; }
`;
